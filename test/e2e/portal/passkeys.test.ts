import test from 'ava';
import { aUser, password } from '../../portal/helpers/people.ts';
import { startPortal, type TestPortal } from '../../portal/helpers/portal.ts';
import { faults } from './helpers/checks.ts';
import { type Stage, startStage } from './helpers/stage.ts';
import { newVisitor, phone, type Visitor } from './helpers/visitor.ts';

let stage: Stage;
let portal: TestPortal;
let url: string;
test.before(async () => {
  stage = await startStage();
  const { config } = stage.service;
  const own = { ...config.portal };
  portal = await startPortal(stage.service, { config: { ...config, portal: own } });
  url = portal.url.replace('127.0.0.1', 'localhost');
  own.url = url;
});
test.after.always(async () => {
  await portal?.stop();
  await stage?.stop();
});

/** Gives a visitor's browser an authenticator, which verifies its user by itself. */
async function attachAuthenticator({ context, page }: Visitor) {
  const devtools = await context.newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    },
  });
  return {
    verifiesUser: (isUserVerified: boolean) =>
      devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
  };
}

test('a user adds a passkey, signs in with it, and is told when the browser gives none', async (t) => {
  const { partnerId } = await stage.service.partner();
  const { email } = await aUser(portal, { partnerId });
  const visitor = await newVisitor(stage.browser, url, { width: phone });
  const { verifiesUser } = await attachAuthenticator(visitor);
  await visitor.signIn(email ?? '', password);
  await visitor.open('/account');
  await visitor.follow('Set up');
  await visitor.proveEmail(portal.mails);
  await visitor.follow('a passkey');
  t.deepEqual(await faults(visitor.page), []);
  await visitor.fill({ Name: 'My phone' });
  await visitor.press('Add passkey');
  t.regex(await visitor.text(), /The second factor is set up\. .* [A-Za-z0-9-]{8,}/);
  await visitor.follow('I have saved them');
  t.is(visitor.path, '/account');
  t.regex(await visitor.text(), /with 10 recovery codes left\. .* My phone/);
  t.deepEqual(await faults(visitor.page), []);

  await visitor.follow('Add a passkey');
  await visitor.fill({ Name: 'My phone again' });
  await visitor.page.getByRole('button', { name: 'Add passkey' }).click();
  await visitor.page.getByRole('alert').waitFor();
  t.regex(await visitor.text(), /No passkey was added: .* this device has one already/);

  await visitor.open('/account');
  await visitor.press('Remove');
  t.regex(await visitor.text(), /This is your only second factor/);

  await visitor.context.clearCookies();
  await visitor.signIn(email ?? '', password);
  t.regex(visitor.path, /^\/second-factor/);
  t.deepEqual(await faults(visitor.page), []);
  await verifiesUser(false);
  await visitor.page.getByRole('button', { name: 'Use a passkey' }).click();
  await visitor.page.getByRole('alert').waitFor();
  t.regex(await visitor.text(), /The browser used no passkey/);
  await verifiesUser(true);
  await visitor.press('Use a passkey');
  t.is(visitor.path, '/home');
  const expected = /409 \(Conflict\)/;
  t.deepEqual(
    visitor.problems.filter((problem) => !expected.test(problem)),
    [],
  );
});
