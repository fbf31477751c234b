import test from 'ava';
import type { Mail } from '../../../platform/mailer.ts';
import { eventually } from '../../helpers/eventually.ts';
import { anOperator } from '../../portal/helpers/people.ts';
import { type Stage, startStage } from './helpers/stage.ts';
import type { Visitor } from './helpers/visitor.ts';

/** One story, told in order: how a partner comes to be live. */
let stage: Stage;
let operator: Visitor;
let owner: Visitor;
test.before(async () => {
  stage = await startStage();
  operator = await stage.visitor();
  owner = await stage.visitor();
});
test.after.always(() => stage?.stop());

const partnerName = 'Blue Bottle Books';
const operatorPassword = 'an operator’s long password';
const ownerPassword = 'an owner’s long password';

/** The path of the link in the newest mail to somebody. */
async function linkTo(email: string): Promise<string> {
  const mail = await eventually<Mail>(
    async () => stage.portal.mails.findLast(({ to }) => to === email),
    `a mail to ${email}`,
  );
  const [link = ''] = /https?:\S+/.exec(mail.text) ?? [];
  return new URL(link).pathname;
}

test.serial('an operator signs in by mail, sets a password and a second factor', async (t) => {
  const { email } = await anOperator(stage.portal);
  await operator.open('/sign-in/link');
  await operator.fill({ 'E-mail': email ?? '' });
  await operator.press('Send the link');
  await operator.open(await linkTo(email ?? ''));
  await operator.press('Sign in');
  t.is(operator.path, '/admin');
  await operator.open('/account');
  await operator.fill({ 'New password': operatorPassword });
  await operator.press('Save the password');
  t.regex(await operator.text(), /Your password is changed/);
  await operator.follow('Set it up');
  await operator.enrollSecondFactor();
  await operator.follow('I have kept them');
});

test.serial('and invites the first owner of a new partner', async (t) => {
  const response = await fetch(`${stage.service.adminUrl}/partners`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${stage.service.adminToken}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ name: partnerName }),
  });
  t.true(response.ok);
  await operator.open('/admin');
  await operator.follow(partnerName);
  await operator.fill({ 'E-mail': 'olga@books.example' });
  await operator.press('Invite');
  t.regex(await operator.text(), /The invitation to olga@books\.example is on its way/);
});

test.serial('the owner follows the link, says who they are, and is in', async (t) => {
  await owner.open(await linkTo('olga@books.example'));
  t.regex(await owner.text(), /Join Blue Bottle Books/);
  await owner.fill({ 'Your name': 'Olga', Password: ownerPassword });
  await owner.press('Join');
  t.regex(await owner.text(), /Blue Bottle Books .* Welcome\. You are in\./);
});

test.serial('sets up the second factor', async (t) => {
  await owner.follow('Olga');
  await owner.follow('Set it up');
  await owner.enrollSecondFactor();
  t.regex(await owner.text(), /Keep these codes/);
  await owner.follow('I have kept them');
  t.is(owner.path, '/account');
});

test.serial('and invites a developer, who joins', async (t) => {
  await owner.follow('Team');
  await owner.follow('Invite somebody');
  await owner.fill({ 'E-mail': 'dev@books.example' });
  await owner.press('Send the invitation');
  const developer = await stage.visitor();
  await developer.open(await linkTo('dev@books.example'));
  await developer.fill({ 'Your name': 'Dev', Password: 'a developer’s long password' });
  await developer.press('Join');
  t.regex(await developer.text(), /Welcome\. You are in\./);
  t.deepEqual(developer.problems, []);
});

test.serial('nothing went wrong in a browser on the way', (t) => {
  t.deepEqual([...operator.problems, ...owner.problems], []);
});
