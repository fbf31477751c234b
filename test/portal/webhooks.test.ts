import test from 'ava';
import { Webhook } from 'standardwebhooks';
import { eventually } from '../helpers/eventually.ts';
import { aPurchase } from '../helpers/partner-backend.ts';
import { type Service, startService } from '../helpers/service.ts';
import { startReceiver } from '../helpers/webhook-receiver.ts';
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

test('an endpoint is created, notified, shown, resent to, rotated, paused and deleted', async (t) => {
  const receiver = await startReceiver();
  t.teardown(() => receiver.stop());
  const partner = await service.partner();
  const { partnerId } = partner;
  const { models } = service;
  const owner = await partnerBrowser(portal, partnerId, 'developer');
  t.regex(textOf((await owner.open('/webhooks?mode=TEST')).html), /No TEST endpoint yet/);
  const hint = textOf((await owner.open('/webhooks/test/new')).html);
  t.regex(hint, /or be on this machine, such as http:\/\/localhost:4000\/hook/);
  const refused = await owner.submit('/webhooks/test/new', { url: 'https://10.0.0.1/' });
  t.is(refused.status, 400);
  t.regex(textOf(refused.html), /Must lead to a public address/);
  const typed = {
    url: `${receiver.url}?token=t`,
    description: 'till',
    eventTypes: 'reward.funded',
  };
  const shown = await owner.submit('/webhooks/test/new', typed);
  const [secret = ''] = /whsec_[\w+/=]{44}/.exec(shown.html) ?? [];
  t.true(secret.length > 40, textOf(shown.html));
  const endpoint = await models.webhookEndpoints.findOne({ partnerId }).orFail();
  t.deepEqual(endpoint.eventTypes, ['reward.funded']);
  const path = `/webhooks/${endpoint._id}`;
  t.false((await owner.open(path)).html.includes(secret), 'the secret is shown only once');

  const { body } = await partner.purchase(aPurchase());
  const [received] = await eventually(
    async () => receiver.received.length > 0 && receiver.received,
    'the webhook arrives',
  );
  t.notThrows(() =>
    new Webhook(secret).verify(received?.body ?? '', received?.headers as Record<string, string>),
  );
  const delivered = { partnerId, type: 'reward.funded', state: 'DELIVERED' } as const;
  const delivery = await eventually(
    () => models.webhookDeliveries.findOne(delivered),
    'the delivery is recorded',
  );
  const today = new Date(delivery.createdAt).toISOString().slice(0, 10);
  const narrowed = (query: string) => owner.open(`${path}?type=reward.funded${query}`);
  t.true(
    (await narrowed(`&state=DELIVERED&from=${today}&to=${today}`)).html.includes(delivery._id),
  );
  t.false((await narrowed('&state=FAILED')).html.includes(delivery._id));
  t.false((await narrowed('&to=2026-01-01')).html.includes(delivery._id));
  t.regex((await owner.open(path)).html, new RegExp(`to=${today}[^>]*>7 days</a>`));
  const detail = await owner.open(`/webhooks/deliveries/${delivery._id}`);
  t.regex(textOf(detail.html), /Response 204 after [\d,]+ ms/);
  t.true(detail.html.includes(body.reward.id));
  await eventually(
    async () => /100% of 1 succeeded/.test(textOf((await owner.open(path)).html)),
    'the page counts it',
  );
  const event = textOf((await owner.open(`/events/${body.eventId}`)).html);
  t.regex(event, /Webhooks .* reward\.funded 127\.0\.0\.1:\d+ Delivered/);

  const doctor = `/webhooks/doctor/${endpoint._id}`;
  const headers = Object.entries(received?.headers ?? {}).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const diagnosed = async (pasted: string) => {
    await owner.open(doctor);
    return textOf((await owner.submit(doctor, { headers: headers.join('\n'), body: pasted })).html);
  };
  t.regex(
    await diagnosed(received?.body ?? ''),
    /The signature holds, under this endpoint’s newest/,
  );
  t.regex(await diagnosed(`${received?.body} `), /blanks around it/);
  t.regex(await diagnosed('{}'), /not the body that was sent/);

  await owner.open(`/webhooks/deliveries/${delivery._id}`);
  await owner.submit(`/webhooks/test/deliveries/${delivery._id}/resend`);
  await eventually(async () => receiver.received.length === 2, 'it arrives again');
  await eventually(
    () => models.webhookDeliveries.exists(delivered),
    'the second attempt is recorded',
  );
  await owner.open(`/webhooks/test/${endpoint._id}/resend`);
  const backwards = await owner.submit(`/webhooks/test/${endpoint._id}/resend`, {
    from: '2026-03-02T00:00',
    until: '2026-03-01T00:00',
  });
  t.regex(backwards.html, /id="until-error"[^>]*>Must be after the period&#39;s start</);
  await owner.open(`/webhooks/test/${endpoint._id}/resend`);
  const resent = await owner.submit(`/webhooks/test/${endpoint._id}/resend`, { which: 'all' });
  t.regex(textOf(resent.html), /1 webhook sent again/);
  await eventually(async () => receiver.received.length === 3, 'it arrives a third time');
  t.is(new Set(receiver.received.map(({ event: { id } }) => id)).size, 1);

  const settings = `/webhooks/test/${endpoint._id}`;
  await owner.open(`${settings}/settings`);
  const rotated = await owner.submit(`${settings}/rotate`);
  t.regex(rotated.html, /whsec_/);
  t.false(rotated.html.includes(secret));
  await owner.open(`${settings}/settings`);
  t.regex(textOf((await owner.submit(`${settings}/pause`)).html), /Paused: events wait/);
  await owner.open(`${settings}/settings`);
  t.regex(textOf((await owner.submit(`${settings}/resume`)).html), /Resumed/);
  t.is((await owner.submit(`${settings}/ping`)).status, 200);
  await eventually(async () => receiver.of('test.ping').length === 1, 'the ping arrives');

  const viewer = await partnerBrowser(portal, partnerId, 'viewer');
  const seen = (await viewer.open(path)).html;
  t.false(seen.includes('token=t'), 'a viewer does not see the URL’s query');
  t.false(seen.includes('Settings'));

  await owner.open(`${settings}/settings`);
  await owner.submit(`${settings}/delete`);
  t.is(await models.webhookEndpoints.countDocuments({ partnerId }), 0);
  const gone = await owner.open(`/webhooks/deliveries/${delivery._id}`);
  t.regex(textOf(gone.html), /Endpoint deleted/);
});

test('LIVE endpoints cannot be reached under the paths of TEST', async (t) => {
  const { partnerId } = await service.partner();
  const owner = await partnerBrowser(portal, partnerId);
  await owner.open('/webhooks/live/new');
  await owner.submit('/webhooks/live/new', { url: 'https://shop.example/hook' });
  const made = await service.models.webhookEndpoints.findOne({ partnerId }).orFail();
  t.is(made.mode, 'LIVE');
  t.is((await owner.open(`/webhooks/test/${made._id}/settings`)).status, 404);
});
