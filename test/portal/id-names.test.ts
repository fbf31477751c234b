import test from 'ava';
import { readIdNames } from '../../models/views/names.ts';
import { newId } from '../../platform/ids.ts';
import { aPurchase } from '../helpers/partner-backend.ts';
import { type Service, startService } from '../helpers/service.ts';
import { textOf } from './helpers/browser.ts';
import { anOperator, signedIn } from './helpers/people.ts';
import { portalOf, type SomePortal } from './helpers/portal.ts';

let service: Service;
let portal: SomePortal;
test.before(async () => {
  service = await startService();
  portal = await portalOf(service);
});
test.after.always(() => service?.stop());

test('operators read the names behind ids, or the id if unknown', async (t) => {
  const name = `Named ${newId('partner')}`;
  const shop = await service.partner({ mode: 'LIVE', fundingCents: 1_000, partner: { name } });
  const { partnerId, integrationId, credentialId, key } = shop;
  const purchase = aPurchase();
  const { body } = await shop.purchase(purchase);
  const { _id: rewardId, customerId } = await service.rewardOf(body.reward.id);
  const user = await anOperator(portal);
  const unknown = newId('integration');
  const names = await readIdNames(service, [
    ...[partnerId, integrationId, credentialId, rewardId, user.operatorId, user._id],
    ...[customerId, unknown, null, undefined, partnerId],
  ]);
  const integration = await service.models.integrations.findById(integrationId).orFail();
  t.deepEqual(
    [partnerId, integrationId, credentialId, rewardId].map((id) => names.get(id)),
    [name, integration.name, `${key.slice(0, 14)}…`, purchase.externalOrderId],
  );
  t.is(names.get(user._id), user.name);
  t.false(names.has(customerId));
  t.false(names.has(unknown));

  await service.allStarted(shop);
  const ada = await signedIn(portal, user);
  const reads = async (path: string) => textOf((await ada.open(path)).html);
  t.true(
    (await reads(`/admin/events/${body.eventId}`)).includes(`Integration ${integration.name}`),
  );
  t.true((await reads(`/admin/rewards/${rewardId}`)).includes(integration.name));
  t.true((await reads(`/admin/ledger?partner=${partnerId}`)).includes(purchase.externalOrderId));
  t.regex(await reads('/admin/requests'), /Any day Today 7 days/);
});
