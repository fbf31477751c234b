import test from 'ava';
import { createOperator, type Operator } from '../../../dev/demo/operator.ts';
import { claimLinkIn } from '../../../dev/demo/outbox.ts';
import { PartnerClient } from '../../../partner-sdk/index.ts';
import type { Mail } from '../../../platform/mailer.ts';
import { eventually } from '../../helpers/eventually.ts';
import { anOperator } from '../../portal/helpers/people.ts';
import { type Stage, startStage } from './helpers/stage.ts';
import { narrow, type Visitor } from './helpers/visitor.ts';

/** One story, told in order: how a partner comes to be live. */
let stage: Stage;
let operator: Visitor;
let owner: Visitor;
/** What operators do by their API. */
let admin: Operator;
test.before(async () => {
  stage = await startStage();
  admin = createOperator(stage.service.adminUrl, stage.service.adminToken);
  operator = await stage.visitor();
  owner = await stage.visitor();
});
test.after.always(() => stage?.stop());

let partnerId: string;
let integrationPath: string;
let rulePath: string;
let tested: PartnerClient;
let live: PartnerClient;

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
  ({ partnerId } = await admin.ask<{ partnerId: string }>('POST', '/partners', {
    name: partnerName,
  }));
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

/** What the set-up list says is to be done next. */
async function nextStep(): Promise<string> {
  await owner.open('/home');
  return (await owner.page.locator('.next h2').textContent()) ?? '';
}

/** A back end with the key and the secret that the page shows, this once. */
async function backendFromPage(): Promise<PartnerClient> {
  const [key = '', secret = ''] = await owner.page.locator('.reveal code').allTextContents();
  return new PartnerClient({ baseUrl: stage.service.baseUrl, key, secret });
}

const anOrder = (externalOrderId: string) => ({
  externalOrderId,
  customer: { email: 'reader@customers.example' },
  order: { subtotalCents: 4_990 },
});

test.serial('step 1: an integration', async (t) => {
  t.is(await nextStep(), 'Create an integration');
  await owner.follow('Create an integration');
  await owner.fill({ Name: 'Web shop' });
  await owner.press('Create the integration');
  t.regex(await owner.text(), /Web shop is made/);
  integrationPath = owner.path;
});

test.serial('steps 2 and 3: a TEST key, whose secret is shown once and stored', async (t) => {
  t.is(await nextStep(), 'Generate a TEST API key');
  await owner.follow('Generate a TEST key');
  await owner.press('Generate the TEST key');
  t.regex(await owner.text(), /This secret is shown once/);
  tested = await backendFromPage();
  await owner.open('/keys');
  t.notRegex(await owner.text(), /sk_/);
  t.is(await nextStep(), 'Store the raw secret securely');
  await tested.plans();
  await eventually(
    async () => (await nextStep()) === 'Create an earning rule',
    'the first signed request shows that the secret is stored',
  );
});

test.serial('step 4: an earning rule, made and activated in TEST', async (t) => {
  await owner.follow('Create a rule');
  await owner.follow('New TEST rule');
  await owner.fill({ Points: '10' });
  await owner.press('Make the draft');
  rulePath = owner.path;
  await owner.follow('Activate');
  await owner.press('Activate in TEST');
  t.regex(await owner.text(), /The rule is active in TEST/);
});

test.serial('step 5: test funding', async (t) => {
  await owner.open(integrationPath);
  await owner.follow('Add test funding');
  await owner.fill({ 'Amount in USD': '100' });
  await owner.press('Add test funding');
  t.regex(await owner.text(), /\$100\.00 of test funding is added/);
});

test.serial(
  'steps 6 to 9: a TEST purchase, its answer, its refund, and the proof of both',
  async (t) => {
    t.is(await nextStep(), 'Send a signed TEST purchase');
    const { reward } = await tested.purchase(anOrder('first'));
    t.is(reward.points, 499);
    await eventually(
      async () => (await nextStep()) === 'Send a matching refund',
      'the answer is inspected',
    );
    const { refund } = await tested.refund({ externalOrderId: 'first' });
    t.is(refund.status, 'CANCELLED');
    await eventually(
      async () => (await nextStep()).startsWith('Request go-live'),
      'the integration is verified',
    );
  },
);

test.serial('step 10: what go-live asks for, one thing after the other', async (t) => {
  t.is(await nextStep(), 'Request go-live: complete profile');
  await owner.follow('Complete the profile');
  await owner.fill({
    ...{ 'Legal name': 'Blue Bottle Books Ltd', Website: 'https://books.example' },
    ...{ 'Contact e-mail': 'olga@books.example', 'Support e-mail': 'help@books.example' },
  });
  await owner.press('Save the profile');
  t.regex(await owner.text(), /Complete for go-live/);

  t.regex(await nextStep(), /LIVE earning rule/);
  await owner.open(rulePath);
  await owner.follow('Promote to LIVE');
  await owner.press('Promote to LIVE');
  t.regex(await owner.text(), /The rule is active in LIVE/);

  t.regex(await nextStep(), /LIVE funding/);
  await admin.ask('POST', `/partners/${partnerId}/top-ups`, {
    ...{ amountCents: 100_000, externalReference: 'wire 1' },
  });
  await owner.open('/funding');
  t.regex(await owner.text(), /Free funding \$1,000\.00/i);
});

test.serial('and is requested, returned with a note, requested again and approved', async (t) => {
  const request = async () => {
    await owner.open('/go-live');
    await owner.follow('Request go-live');
    await owner.press('Request go-live');
    t.regex(await owner.text(), /Go-live is requested/);
  };
  await request();
  const path = `/partners/${partnerId}/go-live`;
  await admin.ask('POST', `${path}/return`, { reason: 'Which shop is this?' });
  await owner.open('/go-live');
  t.regex(await owner.text(), /Which shop is this\?/);
  await request();
  await admin.ask('POST', `${path}/approval`);
  t.is(await nextStep(), 'Generate LIVE credentials');
});

test.serial('step 11: a LIVE key', async (t) => {
  await owner.follow('Generate a LIVE key');
  await owner.press('Generate the LIVE key');
  t.regex(await owner.text(), /Your new LIVE key/);
  live = await backendFromPage();
});

test.serial('the first LIVE purchase, which its customer claims', async (t) => {
  const { reward } = await live.purchase(anOrder('first'));
  const mail = await eventually<Mail>(
    async () => stage.service.mails.find(({ id }) => id === reward.id),
    'the customer’s mail',
  );
  const customer = await stage.visitor({ width: narrow });
  await customer.open(new URL(claimLinkIn(mail.text) ?? '').pathname);
  await customer.press('Claim 499 points');
  t.regex(await customer.text(), /499 points are yours/);
  await owner.open('/home');
  t.regex(await owner.text(), /Free funding \$995\.01 .* Last events .* first \$49\.90 499/i);
  t.deepEqual(customer.problems, []);
});

test.serial('nothing went wrong in a browser on the way', (t) => {
  t.deepEqual([...operator.problems, ...owner.problems], []);
});
