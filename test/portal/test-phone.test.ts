import test from 'ava';
import { type Service, startService } from '../helpers/service.ts';
import { textOf } from './helpers/browser.ts';
import { partnerBrowser } from './helpers/people.ts';
import { startPortal, type TestPortal } from './helpers/portal.ts';

let service: Service;
let portal: TestPortal;
test.before(async () => {
  service = await startService();
  portal = await startPortal(service);
});
test.after.always(async () => {
  await portal?.stop();
  await service?.stop();
});

const path = '/profile/test-phone';

/** An owner who requested a code for a number, and the code. */
async function withCode(number: string) {
  const { partnerId } = await service.partner();
  const owner = await partnerBrowser(portal, partnerId, 'owner');
  await owner.open(path);
  await owner.submit(path, { number });
  await owner.open(path);
  const sent = portal.texts.findLast(({ to }) => to === number);
  const code = /^\d{6}/.exec(sent?.text ?? '')?.[0] ?? '';
  const stored = async () => (await service.models.partners.findById(partnerId))?.testPhone;
  return { partnerId, owner, code, stored };
}

test('a number is verified once the code sent to it is entered', async (t) => {
  const { owner, code, stored } = await withCode('+447400100001');
  t.falsy(await stored());
  await owner.submit(`${path}/code`, { code });
  t.is((await stored())?.number, '+447400100001');
  t.regex(textOf((await owner.open('/profile')).html), /Phone for TEST messages \+447400100001/);
  await owner.open(path);
  await owner.submit(`${path}/remove`, {});
  t.falsy(await stored());
});

test('a code allows five guesses', async (t) => {
  const { owner, code, stored } = await withCode('+447400100002');
  const wrong = code === '000000' ? '000001' : '000000';
  for (let tries = 0; tries < 5; tries++) {
    t.is((await owner.submit(`${path}/code`, { code: wrong })).status, 400);
  }
  t.is((await owner.submit(`${path}/code`, { code })).status, 400);
  t.falsy(await stored());
});

test('a landline is refused, and only owners can request codes, a limited number', async (t) => {
  const { partnerId } = await service.partner();
  const owner = await partnerBrowser(portal, partnerId, 'owner');
  await owner.open(path);
  const refused = await owner.submit(path, { number: '+442079460000' });
  t.is(refused.status, 400);
  t.regex(textOf(refused.html), /Enter a number that can receive text messages/);
  for (let more = 0; more < 4; more++) await owner.submit(path, { number: '+442079460000' });
  t.is((await owner.submit(path, { number: '+447400100003' })).status, 429);
  const developer = await partnerBrowser(portal, partnerId, 'developer');
  t.is((await developer.post(path, { number: '+447400100003' })).status, 403);
});
