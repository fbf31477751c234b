import test from 'ava';
import { createPartner } from '../../operations/partners.ts';
import { operate } from '../helpers/operate.ts';
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

test('a first integration gets a default name and a TEST key; others what was entered', async (t) => {
  const { _id: partnerId } = await operate(portal.deps, createPartner, { name: 'New Shop' });
  const developer = await partnerBrowser(portal, partnerId, 'developer');
  await developer.open('/integrations/new');
  const shown = await developer.submit('/integrations/new');
  t.is(shown.path, '/revealed');
  t.regex(shown.html, /sk_test_/);
  const [first] = await service.models.integrations.find({ partnerId });
  t.is(first?.name, 'Web shop');
  t.like(await service.models.credentials.findOne({ partnerId }), {
    mode: 'TEST',
    integrationId: first?._id,
    scopes: ['events:write', 'events:read'],
  });

  const form = await developer.open('/integrations/new');
  t.false(form.html.includes('value="Web shop"'));
  const till = await developer.submit('/integrations/new', { name: 'Till', withKey: '' });
  t.regex(till.path, /^\/integrations\/int_/);
  t.regex(textOf(till.html), /Till created\. Generate a TEST key for it next\./);
  t.is(await service.models.credentials.countDocuments({ partnerId }), 1);
});

test('a developer chooses who delivers an integration’s claim links; a viewer only sees it', async (t) => {
  const { partnerId, integrationId } = await service.partner();
  const path = `/integrations/${integrationId}`;
  const developer = await partnerBrowser(portal, partnerId, 'developer');
  t.regex(textOf((await developer.open(path)).html), /We send it to the customer/);
  await developer.open(`${path}/delivery`);
  await developer.submit(`${path}/delivery`, { delivery: 'PARTNER' });
  const stored = await service.models.integrations.findById(integrationId);
  t.is(stored?.delivery, 'PARTNER');
  const viewer = await partnerBrowser(portal, partnerId, 'viewer');
  const { html } = await viewer.open(path);
  t.regex(textOf(html), /You send it yourself/);
  t.false(html.includes(`${path}/delivery`));
  t.is((await viewer.post(`${path}/delivery`, { delivery: 'SERVICE' })).status, 403);
});
