import test from 'ava';
import { claimTokenOf } from '../helpers/claim-token.ts';
import { aPurchase } from '../helpers/partner-backend.ts';
import { type Service, startService } from '../helpers/service.ts';
import { textOf } from './helpers/browser.ts';
import { fixtures } from './helpers/fixtures.ts';
import { operatorBrowser } from './helpers/people.ts';
import { portalOf, type SomePortal } from './helpers/portal.ts';

let service: Service;
let portal: SomePortal;
test.before(async () => {
  service = await startService();
  portal = await portalOf(service);
});
test.after.always(() => service?.stop());

test('a partner’s page shows refusals, claim rate, webhooks and how long the funds last', async (t) => {
  const { models } = service;
  const shop = await service.partner({ mode: 'LIVE', fundingCents: 100_000 });
  const { partnerId } = shop;
  const ada = await operatorBrowser(portal, 'viewer');
  const page = async () => textOf((await ada.open(`/admin/partners/${partnerId}`)).html);
  t.regex(
    await page(),
    /Health in LIVE Refused since yesterday 0 No request was refused Claim rate – No rewards in the last 30 days Webhooks – No endpoint Free funding \$1,000\.00 Nothing is being spent/,
  );

  const claimed = await shop.purchase(aPurchase());
  await shop.purchase(aPurchase());
  await shop.purchase({ ...aPurchase(), order: { subtotalCents: 100, currency: 'EUR' } });
  await service.claim(await claimTokenOf(service, claimed.body.eventId));
  await service.flushed();
  await service.allStarted(shop);
  const endpointId = await fixtures.liveWebhookEndpoint(portal, { partnerId, mark: 'x' });
  const endpoint = { partnerId, _id: endpointId };
  await models.webhookEndpoints.updateOne(endpoint, { status: 'ACTIVE', failingSince: null });
  t.regex(
    await page(),
    /Refused since yesterday 1 Most often \w+ Claim rate 50% of 2 rewards in the last 30 days Webhooks OK 1 endpoint Free funding \$990\.02 Lasts \d+ days/,
  );
  await models.webhookEndpoints.updateOne(endpoint, { failingSince: new Date() });
  t.regex(await page(), /Webhooks 1 failing 1 endpoint/);
  await models.webhookEndpoints.updateOne(endpoint, { failingSince: null, status: 'DISABLED' });
  t.regex(await page(), /Webhooks 1 switched off 1 endpoint/);
});
