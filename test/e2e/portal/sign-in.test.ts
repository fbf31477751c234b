import test from 'ava';
import { aUser, password } from '../../portal/helpers/people.ts';
import { type Stage, startStage } from './helpers/stage.ts';

let stage: Stage;
let partnerId: string;
test.before(async () => {
  stage = await startStage();
  ({ partnerId } = await stage.service.partner());
});
test.after.always(() => stage?.stop());

test('a user signs in with the keyboard only, and reaches the page they wanted', async (t) => {
  const { email } = await aUser(stage.portal, { partnerId });
  const visitor = await stage.visitor();
  await visitor.open('/team');
  await visitor.type({ Email: email ?? '', Password: password });
  await visitor.page.keyboard.press('Enter');
  await visitor.page.waitForURL('**/team');
  t.regex(await visitor.text(), /Corner Shop .* Team/);
  t.deepEqual(visitor.problems, []);
});

test('the first focusable element skips the menu', async (t) => {
  const visitor = await stage.visitor();
  await visitor.signIn((await aUser(stage.portal, { partnerId })).email ?? '', password);
  await visitor.open('/team');
  await visitor.skipToContent();
  await visitor.tabTo('Company', 1);
  t.is(visitor.path, '/team');
});

test('a user sets up the second factor with an authenticator app, and enters it later', async (t) => {
  const { email } = await aUser(stage.portal, { partnerId });
  const visitor = await stage.visitor();
  await visitor.signIn(email ?? '', password);
  t.is(visitor.path, '/home');
  await visitor.open('/account');
  await visitor.follow('Set up');
  await visitor.enrollSecondFactor(stage.portal.mails);
  t.regex(await visitor.text(), /The second factor is set up\. .* [A-Za-z0-9-]{8,}/);
  await visitor.follow('I have saved them');
  t.is(visitor.path, '/account');
  t.regex(await visitor.text(), /Set up since .* 10 recovery codes left/i);

  await visitor.open('/second-factor?to=/team');
  await visitor.fill({ Code: '000000' });
  await visitor.press('Continue');
  t.regex(await visitor.text(), /This code is wrong/);
  await visitor.enterSecondFactor();
  t.is(visitor.path, '/team');
});
