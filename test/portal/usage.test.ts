import test from 'ava';
import { closePeriodsOf } from '../../models/billing/periods.ts';
import { createPlanVersion, publishPlanVersion } from '../../operations/plans.ts';
import { changePlan, subscribe } from '../../operations/subscriptions.ts';
import { startAnotherApi } from '../helpers/another-api.ts';
import { largePlan, smallPlan } from '../helpers/billing.ts';
import { metering } from '../helpers/metering.ts';
import { operate } from '../helpers/operate.ts';
import { type OwnService, startOwnService } from '../helpers/own-service.ts';
import { PartnerBackend } from '../helpers/partner-backend.ts';
import { textOf } from './helpers/browser.ts';
import { aUser, operatorBrowser, signedIn } from './helpers/people.ts';
import { configOf, startPortal, type TestPortal } from './helpers/portal.ts';

const iso = (day: string) => `${day}T00:00:00.000Z`;
/** The middle of a billing period from 1 April to 1 May. In the future, so that no session has expired. */
const now = '2036-04-16';

let service: OwnService;
let portal: TestPortal;
let api: Awaited<ReturnType<typeof startAnotherApi>>;
let small: string;
test.before(async () => {
  service = await startOwnService({}, { hasWorker: false });
  const clock = { now: () => Date.parse(iso(now)) };
  api = await startAnotherApi(service, clock);
  portal = await startPortal(service, clock);
  small = await publish(smallPlan);
  await publish(largePlan);
});
test.after.always(async () => {
  await portal?.stop();
  await api?.stop();
  await service?.stop();
});

const at = (day: string) => metering(service).depsAt(iso(day));

async function publish(fields: typeof smallPlan): Promise<string> {
  const { _id } = await operate(at('2036-01-01'), createPlanVersion, fields);
  return (await operate(at('2036-01-01'), publishPlanVersion, { planVersionId: _id }))._id;
}

/** A partner on the plan Small since March, which has been billed, with 300 points a day since 20 March. */
async function aSubscriber(name = 'Corner Shop'): Promise<PartnerBackend> {
  const made = await service.partner({ mode: 'LIVE', partner: { name }, fundingCents: 9_000 });
  const { partnerId } = made;
  await operate(at('2036-03-01'), subscribe, {
    partnerId,
    planVersionId: small,
    interval: 'MONTH',
  });
  const count = (day: string) => metering(service).count(partnerId, 300, iso(day));
  for (let date = 20; date <= 31; date++) await count(`2036-03-${date}`);
  const subscription = await service.models.subscriptions.findOne({ partnerId }).orFail();
  await closePeriodsOf(at('2036-04-01'), subscription, new Date(iso('2036-04-01')));
  for (let date = 1; date <= 15; date++) await count(`2036-04-${String(date).padStart(2, '0')}`);
  return made;
}

/** The API's response at the same instant as the pages. */
async function readFromApi(partner: PartnerBackend, what: 'usage' | 'billing') {
  const backend = await new PartnerBackend({ ...partner, baseUrl: api.baseUrl }).addCredential(
    service.models,
    service.sealer,
  );
  const { body } = await backend.send(undefined, {
    method: 'GET',
    path: `/api/v1/partner/${what}`,
    nowSeconds: Date.parse(iso(now)) / 1_000,
  });
  return body;
}

const viewerOf = async (partnerId: string) =>
  await signedIn(
    portal,
    await aUser(portal, { partnerId, role: 'viewer', createdAt: new Date(iso(now)) }),
  );

const count = (value: number) => value.toLocaleString('en-US');
const money = (cents: number) => `$${(cents / 100).toFixed(2).replace(/\B(?=(\d{3})+\.)/g, ',')}`;

test.serial('usage shows the API’s figures, day by day, with their table', async (t) => {
  const partner = await aSubscriber();
  const usage = await readFromApi(partner, 'usage');
  const { html } = await (await viewerOf(partner.partnerId)).open('/usage');
  const text = textOf(html);
  t.true(text.includes(`Points so far 4,500 ${count(usage.includedPointsConsumed)} of 1,000`));
  const { points, lowPoints, highPoints, overagePoints, overageCents } = usage.projection;
  t.true(
    text.includes(
      `Projected by the end of the period ${count(points)} Likely ${count(lowPoints)}–`,
    ),
  );
  t.true(text.includes(`${count(highPoints)} (80%), based on ${usage.projection.basisDays} days`));
  t.true(text.includes(`Overage so far ${money(usage.accruedOverageCents)}`));
  t.true(
    text.includes(
      `${count(usage.overagePoints)} points over the allowance; projected: ${count(overagePoints)} points, ${money(overageCents)}`,
    ),
  );
  t.true(text.includes(usage.recommendation.reason));
  t.is(usage.recommendation.action, 'UPGRADE');
  t.regex(html, /<svg[^>]*role="img" aria-label="Points on each of the last 30 days/);
  t.is([...html.matchAll(/class="chart-bar"/g)].length, 30);
  t.regex(html, /<title>15 Apr: 300 points<\/title>/);
  t.regex(text, /16 Apr 2036 0 \$0\.00 15 Apr 2036 300 \$6\.00/);
});

test.serial('the usage page of a partner without usage says what it will show', async (t) => {
  const { partnerId } = await service.partner();
  const { html, status } = await (await viewerOf(partnerId)).open('/usage');
  t.is(status, 200);
  t.regex(textOf(html), /No LIVE points on these days .* do not count\. Plan No subscription/);
  t.regex(textOf(html), /No subscription/);
  t.regex(textOf(html), /No plan: points are free/);
  t.regex(textOf(html), /Overage so far \$0\.00 No plan: nothing is charged/);
  t.notRegex(textOf(html), /0 of 0/);
  t.notRegex(textOf(html), /Which plan fits/);
  t.false(html.includes('<svg class="chart"'));
});

test.serial(
  'after an upgrade, usage shows the plan’s price and that of the current period',
  async (t) => {
    const { partnerId } = await aSubscriber();
    const planVersionId = (
      await service.models.planVersions.findOne({ planCode: 'large' }).orFail()
    )._id;
    const operator = await operatorBrowser(portal);
    const before = textOf((await operator.open(`/admin/partners/${partnerId}/plan`)).html);
    t.regex(before, /What a change costs now .* Large, .* \$15\.00/);
    await operate(at(now), changePlan, { partnerId, planVersionId });
    const text = textOf((await (await viewerOf(partnerId)).open('/usage')).html);
    t.regex(text, /Large .* Price per month \$40\.00 Included per period 9,000 points/);
    // Half of the period counts for each plan.
    t.regex(
      text,
      /Included in this period 5,000 points, because the plan changed during the period/,
    );
    t.regex(text, /Price of this period \$10\.00 at its start/);
    const shown = await operator.open(`/admin/partners/${partnerId}/subscription`);
    t.regex(textOf(shown.html), /Price per month \$40\.00 Included per period 9,000 points/);
    t.regex(
      textOf(shown.html),
      /Included in this period 5,000 points.* Price of this period \$10\.00/,
    );
    const overview = await operator.open(`/admin/partners/${partnerId}`);
    t.regex(textOf(overview.html), /Large, version 1 Price per period \$40\.00/);
  },
);

test.serial('an admin whose proposal nobody can approve reads who can change that', async (t) => {
  const config = configOf(service, { FOUR_EYES: 'on' });
  const careful = await startPortal(service, { config });
  t.teardown(() => careful.stop());
  const { partnerId } = await service.partner({ mode: 'LIVE' });
  const { operators } = service.models;
  await operators.updateMany({}, { $set: { revokedAt: new Date() } });
  t.teardown(() => operators.updateMany({}, { $set: { revokedAt: null } }));
  const alone = await operatorBrowser(careful);
  const path = `/admin/partners/${partnerId}`;
  await alone.open(path);
  const proposed = await alone.submit(`${path}/invite`, { email: 'more@shop.example' });
  t.regex(
    textOf(proposed.html),
    /Nobody can approve it: no other operator has the role admin\. Whoever runs the installation can create another admin/,
  );
  await operatorBrowser(careful);
  const { html } = await alone.open(proposed.path);
  t.regex(textOf(html), /Another operator must approve what you proposed/);
});

test.serial(
  'an operator reads whether the plan changed now, with the next period, or not',
  async (t) => {
    const { partnerId } = await aSubscriber();
    const { _id: large } = await service.models.planVersions
      .findOne({ planCode: 'large' })
      .orFail();
    const operator = await operatorBrowser(portal);
    const path = `/admin/partners/${partnerId}/plan`;
    for (const [planVersionId, said] of [
      [small, 'The plan stays as it is.'],
      [large, 'Plan changed.'],
      [small, 'The plan changes with the next period.'],
    ] as const) {
      await operator.open(path);
      const { html } = await operator.submit(path, { planVersionId });
      t.true(textOf(html).includes(said), said);
    }
  },
);

test.serial('a plan’s forms say that they take two operators, only where they do', async (t) => {
  const { partnerId } = await aSubscriber();
  const both = await startPortal(service, {
    config: configOf(service, { FOUR_EYES: 'on' }),
    now: () => Date.parse(iso(now)),
  });
  t.teardown(() => both.stop());
  for (const [asked, takesTwo] of [
    [both, true],
    [portal, false],
  ] as const) {
    const operator = await operatorBrowser(asked);
    for (const form of ['subscribe', 'plan']) {
      const { html } = await operator.open(`/admin/partners/${partnerId}/${form}`);
      t.is(textOf(html).includes('This needs two operators'), takesTwo, form);
    }
  }
});

test.serial(
  'an operator drafts a plan without features; each missing field has a message',
  async (t) => {
    const operator = await operatorBrowser(portal);
    const path = '/admin/plans/new';
    await operator.open(path);
    const refused = await operator.submit(path, { planCode: 'bare', name: 'Bare' });
    t.is(refused.status, 422);
    t.regex(
      refused.html,
      /id="supportClass-error"[^>]*>Enter a support class, such as standard\.</,
    );
    const drafted = await operator.submit(path, {
      planCode: 'bare',
      name: 'Bare',
      monthlyPrice: '1.00',
      annualPrice: '10.00',
      includedPoints: '100',
      overageRate: '0.01',
      apiRateLimitPerMinute: '60',
      supportClass: 'standard',
    });
    t.regex(textOf(drafted.html), /Draft saved\. .*Features –/);
    t.deepEqual((await service.models.planVersions.findOne({ planCode: 'bare' }))?.features, []);
  },
);

test.serial(
  'the pages of money show the balance, the plan and the invoices as in the API',
  async (t) => {
    const partner = await aSubscriber();
    const billing = await readFromApi(partner, 'billing');
    const viewer = await viewerOf(partner.partnerId);
    const reads = async (path: string) => textOf((await viewer.open(path)).html);
    const balance = await reads('/funding');
    t.true(balance.includes(`Available funding ${money(billing.wallet.availableCents)}`));
    t.true(balance.includes(`Lasts ${billing.rewardFunding.runwayDays} days`));
    const plan = await reads('/usage');
    t.regex(
      plan,
      /Plan Small Active .*Price per month \$10\.00 .*Included per period 1,000 points/,
    );
    t.regex(plan, /This period 1 Apr 2036 to 1 May 2036/);
    const [invoice] = billing.invoices;
    const { html } = await viewer.open('/invoices');
    t.true(html.includes(`href="/invoices/${invoice.id}"`));
    t.true(textOf(html).includes(invoice.number));
  },
);

test.serial('an invoice’s lines sum to its total; another partner does not find it', async (t) => {
  const partner = await aSubscriber('<b>Bold</b> & Sons');
  const { partnerId } = partner;
  const viewer = await viewerOf(partnerId);
  const invoice = await service.models.invoices.findOne({ partnerId }).orFail();
  const { html } = await viewer.open(`/invoices/${invoice._id}`);
  const text = textOf(html);
  // The price of 10.00, and 2,600 points above the included 1,000, at a cent each.
  t.is(invoice.totalCents, 1_000 + 2_600);
  for (const { description, amountCents } of invoice.lines) {
    t.true(text.includes(`${description} ${money(amountCents)}`), description);
  }
  const [, body = '', foot = ''] =
    /<tbody>(.*?)<\/tbody>.*?<tfoot>(.*?)<\/tfoot>/s.exec(html) ?? [];
  const cents = (part: string) =>
    [...part.matchAll(/cell-number">(?:<strong>)?(-?)\$([\d,]+)\.(\d\d)</g)].reduce(
      (sum, [, sign, whole = '', rest]) =>
        sum + (sign ? -1 : 1) * Number(`${whole.replaceAll(',', '')}${rest}`),
      0,
    );
  t.is(cents(body), invoice.totalCents);
  t.is(cents(foot), invoice.totalCents);
  t.true(text.includes('<b>Bold</b> & Sons'));
  t.false(html.includes('<b>Bold'));
  const stranger = await viewerOf((await service.partner()).partnerId);
  t.is((await stranger.ask('GET', `/invoices/${invoice._id}`)).status, 404);
});

test.serial('without a subscription, usage and invoices say so', async (t) => {
  const { partnerId } = await service.partner();
  const viewer = await viewerOf(partnerId);
  t.regex(textOf((await viewer.open('/usage')).html), /No subscription/);
  t.regex(textOf((await viewer.open('/invoices')).html), /No invoices yet/);
});
