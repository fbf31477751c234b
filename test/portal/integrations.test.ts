import test from 'ava';
import { type Service, startService } from '../helpers/service.ts';
import { textOf } from './helpers/browser.ts';
import { partnerBrowser } from './helpers/people.ts';
import { portalOf, type SomePortal } from './helpers/portal.ts';

let service: Service;
let portal: SomePortal;
test.before(async () => {
  service = await startService();
  portal = await portalOf(service);
});
test.after.always(async () => {
  await service?.stop();
});

test('a developer decides who delivers the claim links of an integration; a viewer only sees it', async (t) => {
  const { partnerId, integrationId } = await service.partner();
  const path = `/integrations/${integrationId}`;
  const developer = await partnerBrowser(portal, partnerId, 'developer');
  t.regex(textOf((await developer.open(path)).html), /The service sends it to the customer/);
  await developer.open(`${path}/delivery`);
  await developer.submit(`${path}/delivery`, { delivery: 'PARTNER' });
  const stored = await service.models.integrations.findById(integrationId).lean();
  t.is(stored?.delivery, 'PARTNER');
  const viewer = await partnerBrowser(portal, partnerId, 'viewer');
  const { html } = await viewer.open(path);
  t.regex(textOf(html), /You deliver it yourself/);
  t.false(html.includes(`${path}/delivery`));
  t.is((await viewer.post(`${path}/delivery`, { delivery: 'SERVICE' })).status, 403);
});
