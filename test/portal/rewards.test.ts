import test from 'ava';
import { parse } from 'csv-parse/sync';
import type { RewardDoc } from '../../models/schemas/rewards.ts';
import { scopeOf } from '../../models/views/partner-scope.ts';
import { readRewardTotals } from '../../models/views/rewards.ts';
import { newId } from '../../platform/ids.ts';
import { eventually } from '../helpers/eventually.ts';
import { aPurchase } from '../helpers/partner-backend.ts';
import { type Service, startService } from '../helpers/service.ts';
import { type Browser, textOf } from './helpers/browser.ts';
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

/** Stores rewards, one per day from 1 March on, the oldest first. */
async function stored(partnerId: string, rows: readonly Partial<RewardDoc>[]): Promise<void> {
  const made = rows.map((changes, index): RewardDoc => {
    const at = new Date(Date.UTC(2026, 2, 1 + index, 12));
    const _id = newId('reward', at.getTime());
    return {
      _id,
      partnerId,
      integrationId: newId('integration'),
      mode: 'LIVE' as const,
      purchaseEventId: newId('event'),
      externalOrderId: `order-${index}`,
      workflowId: _id,
      customerId: `cus_${'a'.repeat(32)}`,
      claimTokenHash: _id,
      currency: 'USD',
      points: 100,
      liabilityCents: 150,
      walletId: `w-${partnerId}`,
      arithmetic: {} as never,
      status: 'AVAILABLE',
      customerStatus: 'CLAIMED',
      funded: true,
      claimExpiresAt: at,
      review: null,
      cancellation: null,
      version: 2,
      moves: [],
      customerDayId: null,
      claimWindow: 'P30D',
      isReserved: false,
      countedIn: null,
      fundingNotice: null,
      createdAt: at,
      updatedAt: at,
      ...changes,
    };
  });
  await service.commit({
    partnerId,
    wallet: null,
    decide(draft) {
      for (const reward of made) draft.rewards.set(reward._id, reward);
    },
  });
}

async function ordersOn(browser: Browser, path: string): Promise<string[]> {
  const { html, status } = await browser.open(path);
  return status === 200
    ? [...html.matchAll(/>(order-\d+)</g)].map(([, order = '']) => order)
    : [`${status}`];
}

test('rewards are listed, filtered, totalled, paged and downloaded as CSV', async (t) => {
  const { partnerId } = await service.partner();
  const other = await service.partner();
  const expired = { status: 'EXPIRED', customerStatus: 'CLAIM_EXPIRED', points: 7 } as const;
  await stored(partnerId, [
    { mode: 'TEST', points: 5_555 },
    expired,
    { externalOrderId: 'order-1', customerId: `cus_${'b'.repeat(32)}` },
    {},
  ]);
  await stored(other.partnerId, [{}, {}]);
  const viewer = await partnerBrowser(portal, partnerId, 'viewer');
  for (const [query, orders] of [
    ['mode=LIVE', ['order-3', 'order-1', 'order-1']],
    ['', ['order-3', 'order-1', 'order-1']],
    ['mode=TEST', ['order-0']],
    ['mode=LIVE&status=EXPIRED', ['order-1']],
    ['mode=LIVE&order=order-1', ['order-1', 'order-1']],
    ['mode=LIVE&order=order-1&status=AVAILABLE', ['order-1']],
    [`mode=LIVE&customer=cus_${'b'.repeat(32)}`, ['order-1']],
    ['mode=LIVE&from=2026-03-03&to=2026-03-03', ['order-1']],
    ['mode=LIVE&from=2026-03-04', ['order-3']],
    ['mode=LIVE&from=0001-01-01&to=0903-01-07', []],
    ['mode=LIVE&to=2026-03-01', []],
    ['mode=OTHER', ['404']],
    ['from=2026-02-30', ['404']],
    ['customer=somebody@example.com', []],
    ['status[$ne]=EXPIRED&status=x', ['404']],
  ] as const) {
    t.deepEqual(await ordersOn(viewer, `/rewards?${query}`), [...orders], query);
  }
  const { html } = await viewer.open('/rewards?mode=LIVE');
  const text = textOf(html);
  t.regex(text, /Available 2 200 \$3\.00/);
  t.regex(text, /Expired 1 7 \$1\.50/);
  t.regex(text, /3 rewards in total/);
  const csv = await viewer.ask('GET', '/rewards.csv?mode=LIVE&status=AVAILABLE');
  t.is(csv.headers.get('content-disposition'), 'attachment; filename="rewards.csv"');
  const rows: Record<string, string>[] = parse(csv.html, { bom: true, columns: true });
  t.deepEqual(
    rows.map(({ externalOrderId, points, costCents }) => [externalOrderId, points, costCents]),
    [
      ['order-3', '100', '150'],
      ['order-1', '100', '150'],
    ],
  );

  const busy = await service.partner();
  await stored(
    busy.partnerId,
    Array.from({ length: 30 }, (_, index) => (index % 2 === 0 ? {} : expired)),
  );
  const owner = await partnerBrowser(portal, busy.partnerId);
  const newest = Array.from({ length: 30 }, (_, index) => `order-${29 - index}`);
  const first = await owner.open('/rewards?mode=LIVE');
  t.deepEqual(await ordersOn(owner, '/rewards?mode=LIVE'), newest.slice(0, 25));
  const [, older = ''] = /href="([^"]*)" rel="next"/.exec(first.html) ?? [];
  t.deepEqual(await ordersOn(owner, older.replaceAll('&amp;', '&')), newest.slice(25));
});

test('a partner’s totals read one key per day, however many rewards there are', async (t) => {
  const { partnerId } = await service.partner();
  await stored(partnerId, [{}, {}, {}]);
  const { models } = service;
  const totals = await readRewardTotals(
    { models: { ...models, rewards: undefined } } as never,
    scopeOf({ _id: partnerId }),
    { mode: 'LIVE', fromDay: '2026-03-02' },
  );
  t.deepEqual(totals, [
    { status: 'AVAILABLE', currency: 'USD', rewards: 2, points: 200, cents: 300 },
  ]);
});

test('a customer is found by email or phone, which is in no URL, and only by their own partner', async (t) => {
  const backend = await service.partner({ mode: 'LIVE', fundingCents: 10_000 });
  const stranger = await service.partner();
  const email = `${newId('partner').toLowerCase()}@example.com`;
  const { body } = await backend.purchase({ ...aPurchase(), customer: { email } });
  const { customerId } = await eventually(
    () => service.models.rewards.findById(body.reward.id),
    'the reward is created',
  );
  const viewer = await partnerBrowser(portal, backend.partnerId, 'viewer');
  await viewer.open('/find-customer');
  const nobody = await viewer.submit('/find-customer', { contact: 'nobody@example.com' });
  t.is(nobody.status, 422);
  t.regex(textOf(nobody.html), /None of your customers has this email or phone/);
  const found = await viewer.submit('/find-customer', { contact: ` ${email.toUpperCase()} ` });
  t.is(found.path, `/customers/${customerId}`);
  const text = textOf(found.html);
  t.regex(text, /Customer p•••@e•••\.com At a glance/);
  t.false(found.html.includes(email), 'the email is masked');
  t.regex(text, /LIVE points 0 /);
  t.true(found.html.includes(`/events/${body.eventId}`));
  const other = await partnerBrowser(portal, stranger.partnerId);
  t.is((await other.ask('GET', `/customers/${customerId}`)).status, 404);
  await other.open('/find-customer');
  t.is((await other.submit('/find-customer', { contact: email })).status, 422);
});
