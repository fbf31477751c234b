import test from 'ava';
import { type Service, startService } from '../helpers/service.ts';
import { textOf } from './helpers/browser.ts';
import { anOperator, aUser, signedIn } from './helpers/people.ts';
import { portalOf, type SomePortal } from './helpers/portal.ts';

let service: Service;
let portal: SomePortal;
test.before(async () => {
  service = await startService();
  portal = await portalOf(service);
});
test.after.always(() => service?.stop());

/** Gives a user a second factor, so that the account page shows when it was set up: at 22:30 UTC. */
async function enrollFactor(userId: string) {
  const enrolledAt = new Date('2026-07-01T22:30:00Z');
  const factor = { sealedSecret: '', enrolledAt, lastStep: 0, recoveryCodeHashes: [] };
  await service.models.users.updateOne({ _id: userId }, { $set: { secondFactor: factor } });
}

test('users see times in their chosen zone', async (t) => {
  const { partnerId } = await service.partner();
  const [anna, bob] = [await aUser(portal, { partnerId }), await aUser(portal, { partnerId })];
  const [annas, bobs] = [await signedIn(portal, anna), await signedIn(portal, bob)];
  await Promise.all([enrollFactor(anna._id), enrollFactor(bob._id)]);
  const shown = await annas.open('/account');
  t.regex(textOf(shown.html), /since 1 Jul 2026, 22:30 UTC/);
  const saved = await annas.submit('/account/time-zone', { timeZone: 'Europe/Berlin' });
  t.regex(textOf(saved.html), /Times are now shown in Europe\/Berlin\./);
  t.regex(textOf(saved.html), /since 2 Jul 2026, 00:30 CEST/);
  t.regex(saved.html, /title="2026-07-01T22:30:00\.000Z"/);
  t.regex(saved.html, /<option value="Europe\/Berlin" selected>/);
  t.regex(textOf((await bobs.open('/account')).html), /since 1 Jul 2026, 22:30 UTC/);
  const back = await annas.submit('/account/time-zone', { timeZone: 'UTC' });
  t.regex(textOf(back.html), /since 1 Jul 2026, 22:30 UTC/);
  const chosen = { targetId: anna._id, action: 'own-time-zone.choose' };
  const entries = await service.models.auditEntries.find(chosen).sort({ _id: 1 });
  t.deepEqual(
    entries.map(({ details }) => details),
    [{ timeZone: 'Europe/Berlin' }, { timeZone: 'UTC' }],
  );
});

test('the next step shows its time in the reader’s zone', async (t) => {
  const backend = await service.partner();
  const { body } = await backend.purchase();
  await service.carriedOut(backend);
  await service.models.rewards.updateOne(
    { _id: body.reward.id },
    { $set: { claimExpiresAt: new Date('2036-07-01T22:30:00Z') } },
  );
  const reader = await signedIn(portal, await aUser(portal, { partnerId: backend.partnerId }));
  const next = async () => textOf((await reader.open(`/events/${body.eventId}`)).html);
  t.regex(await next(), /claim it until 1 Jul 2036, 22:30 UTC\. Then it expires/);
  await reader.open('/account');
  await reader.submit('/account/time-zone', { timeZone: 'Europe/Berlin' });
  t.regex(await next(), /claim it until 2 Jul 2036, 00:30 CEST\. Then it expires/);
});

test('an operator can choose a zone too; an invalid one is refused', async (t) => {
  const operator = await anOperator(portal);
  const browser = await signedIn(portal, operator);
  await enrollFactor(operator._id);
  await browser.open('/account');
  const refused = await browser.submit('/account/time-zone', { timeZone: 'Mars/Olympus' });
  t.is(refused.status, 422);
  t.regex(textOf(refused.html), /Choose a time zone\./);
  const saved = await browser.submit('/account/time-zone', { timeZone: 'Asia/Kathmandu' });
  t.regex(textOf(saved.html), /since 2 Jul 2026, 04:15 GMT\+5:45/);
});
