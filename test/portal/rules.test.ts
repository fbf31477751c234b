import test from 'ava';
import type { EarningRule } from '../../domain/earning-rules.ts';
import { maxSubtotalCents } from '../../domain/points.ts';
import { queueBackTest } from '../../jobs/index.ts';
import { findActiveRules, findRule, toEarningRule } from '../../models/rewards/rules.ts';
import { createRule, type RuleFields } from '../../operations/earning-rules.ts';
import { exampleSubtotals } from '../../portal/components/rules.ts';
import { claimWindowFields, claimWindowOf } from '../../portal/forms/fields.ts';
import { sentenceOfRule, wordsOfRule } from '../../portal/words/rule-words.ts';
import { operate } from '../helpers/operate.ts';
import { aPurchase } from '../helpers/partner-backend.ts';
import { activateRule, type Service, startService } from '../helpers/service.ts';
import { formsIn, textOf } from './helpers/browser.ts';
import { finishedJobPage } from './helpers/finished-job-page.ts';
import { partnerBrowser } from './helpers/people.ts';
import { portalOf, type SomePortal } from './helpers/portal.ts';

let service: Service;
let portal: SomePortal;

const draftOf = async (
  partnerId: string,
  changes: Partial<Pick<RuleFields, 'points' | 'currency' | 'integrationId'>> = {},
) =>
  (
    await operate(portal.deps, createRule, {
      partnerId,
      mode: 'TEST',
      currency: 'USD',
      kind: 'PER_AMOUNT',
      points: 20,
      unitCents: 100,
      ...changes,
    })
  )._id;
const activeIn = async (partnerId: string, mode: 'TEST' | 'LIVE') =>
  await findActiveRules(service.models, partnerId, mode);

test('a rule is drafted in a form, described with three orders, and earns once activated', async (t) => {
  const { partnerId } = await service.partner({ rule: null });
  const developer = await partnerBrowser(portal, partnerId, 'developer');
  await developer.open('/rules/new?mode=TEST');
  const shown = await developer.submit('/rules/new', {
    points: '3',
    unitCents: '2.50',
    minimumOrderCents: '20',
    multiplier: '2',
    startsAt: '2026-11-27T00:00',
    endsAt: '2030-12-01T12:30',
    capPerOrderPoints: '100',
    claimWindow: '12',
    claimWindowUnit: 'HOURS',
    pointValueMicros: '0.0125',
  });
  const text = textOf(shown.html);
  t.regex(
    text,
    /3 points for every \$2\.50, for orders of at least \$20\.00, times 2 from 27 Nov 2026, 00:00 until 1 Dec 2030, 12:30 UTC, at most 100 points per order, to be claimed within 12 hours\./,
  );
  t.notRegex(text, /below the minimum/);
  t.regex(text, /\$100\.00 100 \$1\.25 .*\$2,500\.00 100 \$1\.25 /);
  t.deepEqual(await activeIn(partnerId, 'TEST'), []);

  const [ruleId = ''] = /rul_\w+/.exec(shown.path) ?? [];
  await developer.open(`/rules/${ruleId}/activate`);
  await developer.submit(`/rules/${ruleId}/activate`);
  const [active] = await activeIn(partnerId, 'TEST');
  t.like(active, {
    ruleId,
    points: 3,
    unitCents: 250,
    minimumOrderCents: 2_000,
    multiplier: 2,
    campaign: { startsAt: '2026-11-27T00:00:00Z', endsAt: '2030-12-01T12:30:00Z' },
    capPerOrderPoints: 100,
    capPerCustomerDayPoints: null,
    pointValueMicros: 12_500,
  });
});

test('a rule that is created and activated is active at once, and says what it replaces', async (t) => {
  const { partnerId } = await service.partner({ rule: null });
  const developer = await partnerBrowser(portal, partnerId, 'developer');
  await developer.open('/rules/new?mode=TEST');
  const first = await developer.submit('/rules/new', { step: 'activate' });
  t.regex(textOf(first.html), /The rule is active in TEST/);
  const [active] = await activeIn(partnerId, 'TEST');
  t.is(first.path, `/rules/${active?.ruleId}?mode=TEST`);

  await developer.open('/rules/new?mode=TEST');
  const second = await developer.submit('/rules/new', { points: '2', step: 'activate' });
  t.regex(
    textOf(second.html),
    /The rule is active in TEST\. It replaces “1 point for every \$1\.00”\./,
  );
  t.like((await activeIn(partnerId, 'TEST'))[0], { points: 2 });
});

test('a rule’s page shows what is used of its budget and what is left, and says when it is used up', async (t) => {
  const partner = await service.partner({ rule: null });
  const developer = await partnerBrowser(portal, partner.partnerId, 'developer');
  await developer.open('/rules/new?mode=TEST');
  const nameless = await developer.submit('/rules/new', { points: '10', totalPoints: '100' });
  t.is(nameless.status, 422);
  t.regex(textOf(nameless.html), /Enter a name for the budget\./);
  const limitless = await developer.submit('/rules/new', { totalPoints: '', budgetName: 'Spring' });
  t.regex(textOf(limitless.html), /a budget has a limit in all, in a month, or both/);
  const budget = { budgetName: 'Spring', totalPoints: '1,000', monthPoints: '100' };
  const made = await developer.submit('/rules/new', { ...budget, step: 'activate' });
  const text = textOf(made.html);
  t.regex(text, /within a budget of 1,000 points in all and 100 points a month \(Spring\)/);
  t.regex(text, /In all 1,000 0 1,000 This month 100 0 100/);
  t.notRegex(text, /used up/);

  await partner.purchase(aPurchase({ order: { subtotalCents: 400 } }));
  const path = made.path.replace(/\?.*$/, '');
  t.regex(textOf((await developer.open(path)).html), /In all 1,000 40 960 This month 100 40 60/);
  await partner.purchase(aPurchase({ order: { subtotalCents: 900 } }));
  const full = textOf((await developer.open(path)).html);
  t.regex(
    full,
    /Budget of this month used up: purchases earn no points under this rule until it begins again next month\./,
  );
  t.regex(full, /In all 1,000 100 900 This month 100 100 0/);
  t.regex(textOf((await developer.open('/rules?mode=TEST')).html), /Active Budget used up/);

  await service.models.ruleBudgets.updateOne(
    { partnerId: partner.partnerId },
    { $set: { points: 1_000 } },
  );
  t.regex(
    textOf((await developer.open(path)).html),
    /Budget used up: purchases earn no points under this rule\./,
  );

  const [, ruleId = ''] = /(rul_\w+)/.exec(path) ?? [];
  const { html } = await developer.open(`/rules/new?mode=TEST&from=${ruleId}`);
  for (const value of ['Spring', '1000', '100']) t.true(html.includes(`value="${value}"`), value);
});

test('the orders of worked examples reach the minimum', (t) => {
  t.deepEqual(exampleSubtotals(0), [1_000, 4_990, 25_000]);
  t.deepEqual(exampleSubtotals(1_000), [1_000, 4_990, 25_000]);
  t.deepEqual(exampleSubtotals(1_001), [10_000, 49_900, 250_000]);
  t.deepEqual(exampleSubtotals(maxSubtotalCents), [
    maxSubtotalCents,
    maxSubtotalCents,
    maxSubtotalCents,
  ]);
});

test('a fixed rule ignores the amount field', async (t) => {
  const { partnerId } = await service.partner({ rule: null });
  const developer = await partnerBrowser(portal, partnerId, 'developer');
  const form = textOf((await developer.open('/rules/new?mode=TEST')).html);
  t.regex(form, /If every order earns the same, choose that as the kind, under Scope\./);
  t.notRegex(form, /Leave it empty if every order/);
  const shown = await developer.submit('/rules/new', { kind: 'FIXED', points: '50' });
  t.regex(textOf(shown.html), /50 points for every order/);
});

test('a mistake is shown next to its field, and the input stays in the form', async (t) => {
  const { partnerId } = await service.partner();
  const developer = await partnerBrowser(portal, partnerId, 'developer');
  await developer.open('/rules/new?mode=TEST');
  const { status, html } = await developer.submit('/rules/new', {
    points: 'many',
    unitCents: '0.005',
    startsAt: '2026-11-27T00:00',
    currency: 'dollars',
  });
  t.is(status, 422);
  for (const words of [
    'Enter a whole number, such as 10 or 1,000.',
    'at most 2 decimals',
    'three letters',
  ]) {
    t.true(textOf(html).includes(words), words);
  }
  t.true(html.includes('value="0.005"'));
  await developer.open('/rules/new?mode=TEST');
  const twoWays = await developer.submit('/rules/new', { unitCents: '1.005' });
  t.is(twoWays.status, 422);
  t.regex(textOf(twoWays.html), /This can be read as 1,005 or as 1\.005\. Write 1005 or 1\.005\./);
  t.true(twoWays.html.includes('value="1.005"'));
  await developer.open('/rules/new?mode=TEST');
  const late = await developer.submit('/rules/new', { startsAt: '2026-11-27T00:00' });
  t.regex(textOf(late.html), /Enter both the start and the end of the campaign/);
  await developer.open('/rules/new?mode=TEST');
  const far = await developer.submit('/rules/new', { points: '100001' });
  t.is(far.status, 422);
  t.regex(textOf(far.html), /Enter at most 100,000\./);
});

test('when an operation refuses several fields, each shows its message', async (t) => {
  const { partnerId } = await service.partner();
  const developer = await partnerBrowser(portal, partnerId, 'developer');
  await developer.open('/rules/new?mode=TEST');
  const { status, html } = await developer.submit('/rules/new', {
    startsAt: '2026-11-27T00:00',
    endsAt: '2026-11-26T00:00',
    claimWindow: '1000',
    claimWindowUnit: 'YEARS',
  });
  t.is(status, 400);
  t.regex(html, /id="endsAt-error"[^>]*>Must be after the campaign&#39;s start</);
  t.regex(html, /id="claimWindow-error"[^>]*>[A-Z]/);
  t.false(html.includes('class="notice bad"'), 'no message is shown above the form');
});

test('no message names a field as the API does, or an amount in its units', async (t) => {
  const { partnerId } = await service.partner({ mode: 'LIVE' });
  const owner = await partnerBrowser(portal, partnerId);
  for (const [mode, wrong, field, message] of [
    ['TEST', { unitCents: '' }, 'unitCents', 'Enter an amount.'],
    ['TEST', { currency: ' ' }, 'currency', 'Enter a value.'],
    ['TEST', { claimWindowUnit: 'AGES' }, 'claimWindowUnit', 'Choose one of the values offered.'],
    [
      'TEST',
      { startsAt: '2026-02-30T00:00', endsAt: '2026-03-01T00:00' },
      'startsAt',
      'Enter a date and a time, such as 2026-11-27T00:00.',
    ],
    [
      'TEST',
      { points: '100000', unitCents: '0.01', multiplier: '100', pointValueMicros: '1000' },
      'capPerOrderPoints',
      'An order of the largest size would earn too many points to count; set a limit, or lower',
    ],
    [
      'LIVE',
      { pointValueMicros: '2' },
      'pointValueMicros',
      'Must not exceed $1.00 a point, as agreed in the contract',
    ],
    [
      'LIVE',
      { points: '10000', pointValueMicros: '1', capPerOrderPoints: '1001' },
      'capPerOrderPoints',
      'Must be at most 1000: the contract allows rewards of up to $1,000.00',
    ],
  ] as const) {
    await owner.open(`/rules/new?mode=${mode}`);
    const { html } = await owner.submit('/rules/new', { ...wrong });
    const messages = [...html.matchAll(/<small id="(\w+)-error" class="error">([^<]*)</g)];
    t.deepEqual(
      messages.map(([, of]) => of),
      [field],
      message,
    );
    t.true(messages[0]?.[2]?.startsWith(message), messages[0]?.[2]);
    t.notRegex(messages[0]?.[2] ?? '', /[a-z][A-Z]|\w\.\w*[a-z]/);
  }
});

test('promoting shows the changes, part by part and for three orders, and applies them in LIVE', async (t) => {
  const { partnerId } = await service.partner({ mode: 'LIVE' });
  const ruleId = await draftOf(partnerId);
  const owner = await partnerBrowser(portal, partnerId);
  const promote = `/rules/${ruleId}/promote`;
  const { html } = await owner.open(promote);
  t.true(html.includes('<del>10 points for every $1.00</del>'));
  t.true(html.includes('<ins>20 points for every $1.00</ins>'));
  t.false(html.includes('<ins>30 days</ins>'));
  t.regex(textOf(html), /\$49\.90 499 points, \$4\.99 998 points, \$9\.98/);
  await owner.submit(promote);
  const [active, ...others] = await activeIn(partnerId, 'LIVE');
  t.deepEqual(others, []);
  t.like(active, { mode: 'LIVE', points: 20, unitCents: 100 });
  t.regex(textOf((await owner.open(promote)).html), /There is nothing to promote/);
});

test('promoting shows the contract’s limit per order', async (t) => {
  const { partnerId } = await service.partner({ mode: 'LIVE' });
  const promote = `/rules/${await draftOf(partnerId)}/promote`;
  const owner = await partnerBrowser(portal, partnerId);
  const { html } = await owner.open(promote);
  t.true(html.includes('<ins>100,000 points</ins>'));
  await owner.submit(promote);
  t.is((await activeIn(partnerId, 'LIVE'))[0]?.capPerOrderPoints, 100_000);
});

test('a promotion replaces only the rule that was shown: after a change in between it does nothing and shows it', async (t) => {
  const { partnerId } = await service.partner({ mode: 'LIVE' });
  const promote = `/rules/${await draftOf(partnerId)}/promote`;
  const owner = await partnerBrowser(portal, partnerId);
  await owner.open(promote);
  const other = await activateRule(service.models, { partnerId, mode: 'LIVE', points: 7 });
  const refused = await owner.submit(promote);
  t.is(refused.status, 409);
  t.regex(textOf(refused.html), /Another rule has become active since you looked/);
  t.true(refused.html.includes('<del>7 points for every $1.00</del>'));
  t.is((await activeIn(partnerId, 'LIVE'))[0]?.ruleId, other);
  t.is((await owner.submit(promote)).status, 200);
});

test('a rule in another currency than the funds cannot be promoted', async (t) => {
  const { partnerId } = await service.partner({ mode: 'LIVE', partner: { currency: 'EUR' } });
  const ruleId = await draftOf(partnerId, { currency: 'EUR' });
  await service.models.partners.updateOne({ _id: partnerId }, { $set: { currency: 'USD' } });
  const owner = await partnerBrowser(portal, partnerId);
  const { html } = await owner.open(`/rules/${ruleId}/promote`);
  t.regex(textOf(html), /in EUR, and your LIVE funds are in USD/);
  t.is((await owner.post(`/rules/${ruleId}/promote`)).status, 400);
});

test('a developer changes no LIVE rule, whatever mode the address says', async (t) => {
  const { partnerId } = await service.partner({ mode: 'LIVE' });
  const [active] = await activeIn(partnerId, 'LIVE');
  const liveId = active?.ruleId ?? '';
  const developer = await partnerBrowser(portal, partnerId, 'developer');
  await developer.open('/account');
  t.is((await developer.post(`/rules/${liveId}/deactivate?mode=TEST`)).status, 403);
  t.is((await activeIn(partnerId, 'LIVE'))[0]?.ruleId, liveId);
  t.false((await developer.open(`/rules/${liveId}`)).html.includes('/deactivate'));
});

test('deactivating a rule leaves none active, and the versions show their history', async (t) => {
  const { partnerId } = await service.partner();
  const draft = await draftOf(partnerId);
  const [active] = await activeIn(partnerId, 'TEST');
  const developer = await partnerBrowser(portal, partnerId, 'developer');
  const { html } = await developer.open(`/rules/${draft}`);
  t.regex(
    textOf(html),
    /20 points for every \$1\.00 this one Draft .* 10 points for every \$1\.00 Active/,
  );
  const path = `/rules/${active?.ruleId}/deactivate`;
  await developer.open(`/rules/${active?.ruleId}`);
  await developer.submit(path);
  t.deepEqual(await activeIn(partnerId, 'TEST'), []);
  t.regex(
    textOf((await developer.open('/rules?mode=TEST')).html),
    /10 points for every \$1\.00 Replaced/,
  );
});

test('an integration’s first own rule is compared with the one for all, which applies again after it', async (t) => {
  const { partnerId, integrationId } = await service.partner();
  const draft = await draftOf(partnerId, { integrationId });
  const developer = await partnerBrowser(portal, partnerId, 'developer');
  const path = `/rules/${draft}/activate`;
  const shown = textOf((await developer.open(path)).html);
  t.regex(shown, /Until now, the rule for all integrations applies/);
  t.notRegex(shown, /refused/);
  t.regex(shown, /\$49\.90 499 points, \$4\.99 998 points, \$9\.98/);
  await developer.submit(path);
  t.is((await activeIn(partnerId, 'TEST')).length, 2);
  t.regex(
    textOf((await developer.open(`/rules/${draft}`)).html),
    /purchases in USD of web shop earn by the rule for all integrations\. Without one, they are refused/,
  );
});

test('another partner’s rule cannot be copied', async (t) => {
  const [mine, theirs] = [await service.partner(), await service.partner()];
  const developer = await partnerBrowser(portal, mine.partnerId, 'developer');
  const [foreign] = await activeIn(theirs.partnerId, 'TEST');
  t.is((await developer.open(`/rules/new?mode=TEST&from=${foreign?.ruleId}`)).status, 404);
});

test('a long list of versions is paged', async (t) => {
  const { partnerId } = await service.partner();
  const mode = 'TEST';
  for (let points = 1; points <= 30; points++) {
    await operate(portal.deps, createRule, {
      partnerId,
      mode,
      currency: 'USD',
      kind: 'PER_AMOUNT',
      points,
      unitCents: 100,
    });
  }
  const viewer = await partnerBrowser(portal, partnerId, 'viewer');
  await viewer.open('/rules?mode=TEST');
  t.true(viewer.shown?.html.includes('href="/rules/all?mode=TEST"'));
  const seen = new Set<string>();
  let path: string | undefined = '/rules/all?mode=TEST';
  let pages = 0;
  for (; path !== undefined; pages++) {
    const { html } = await viewer.open(path);
    for (const [id] of html.matchAll(/rul_\w+/g)) seen.add(id);
    path = /href="([^"]+)" rel="next"/.exec(html)?.[1]?.replaceAll('&amp;', '&');
  }
  t.is(pages, 2);
  const stored = await service.models.earningRules.find({ partnerId, mode }, { _id: 1 });
  t.deepEqual([...seen].toSorted(), stored.map(({ _id }) => _id).toSorted());
});

const rule: EarningRule = {
  ruleId: 'rul_1',
  partnerId: 'prt_1',
  mode: 'TEST',
  integrationId: null,
  currency: 'USD',
  kind: 'PER_AMOUNT',
  points: 10,
  unitCents: 100,
  minimumOrderCents: 0,
  multiplier: 1,
  campaign: null,
  capPerOrderPoints: null,
  capPerCustomerDayPoints: null,
  claimWindow: 'P30D',
  pointValueMicros: 10_000,
};

const cases: [change: Partial<EarningRule>, sentence: string][] = [
  [{}, '10 points for every $1.00, to be claimed within 30 days.'],
  [
    { budget: { name: 'Spring', totalPoints: 100_000, monthPoints: 10_000 } },
    '10 points for every $1.00, within a budget of 100,000 points in all and 10,000 points a month (Spring), to be claimed within 30 days.',
  ],
  [{ points: 1 }, '1 point for every $1.00, to be claimed within 30 days.'],
  [{ multiplier: 3 }, '10 points for every $1.00, times 3, always, to be claimed within 30 days.'],
  [
    { minimumOrderCents: 2_500, capPerOrderPoints: 1_000, capPerCustomerDayPoints: 5_000 },
    '10 points for every $1.00, for orders of at least $25.00, at most 1,000 points per order, at most 5,000 points per customer per day, to be claimed within 30 days.',
  ],
  [
    {
      multiplier: 2,
      campaign: { startsAt: '2026-11-27T01:00:00+01:00', endsAt: '2026-12-01T00:00:00Z' },
      claimWindow: 'PT12H',
    },
    '10 points for every $1.00, times 2 from 27 Nov 2026, 00:00 until 1 Dec 2026, 00:00 UTC, to be claimed within 12 hours.',
  ],
];
for (const [change, sentence] of cases) {
  test(`a rule with ${JSON.stringify(change)} is described in one sentence`, (t) => {
    t.is(sentenceOfRule({ ...rule, ...change } as EarningRule), sentence);
  });
}

test('an unset part says so, and a point’s value is shown to the millionth', (t) => {
  t.deepEqual(wordsOfRule({ ...rule, pointValueMicros: 1_234 }), {
    earns: '10 points for every $1.00',
    minimumOrder: 'None',
    multiplier: 'None',
    capPerOrder: 'No limit',
    capPerCustomerDay: 'No limit',
    budget: 'None',
    claimWindow: '30 days',
    hold: 'None',
    pointValue: '$0.001234',
  });
  const held = { ...rule, holdFor: 'P14D' };
  t.is(wordsOfRule(held).hold, '14 days');
  t.regex(sentenceOfRule(held), /to be claimed within 30 days, after a hold of 14 days\.$/);
});

test('a claim window is a number and a unit in forms; one with several parts has to be entered again', (t) => {
  for (const [iso, claimWindow, claimWindowUnit] of [
    ['P30D', '30', 'DAYS'],
    ['PT12H', '12', 'HOURS'],
    ['PT5M', '5', 'MINUTES'],
    ['P5M', '5', 'MONTHS'],
    ['P2W', '2', 'WEEKS'],
    ['PT5S', '5', 'SECONDS'],
    ['P1Y', '1', 'YEARS'],
  ] as const) {
    t.deepEqual(claimWindowFields(iso), { claimWindow, claimWindowUnit });
    t.is(claimWindowOf(Number(claimWindow), claimWindowUnit), iso);
  }
  t.is(claimWindowFields('P1DT12H').claimWindow, '');
});

test.before(async () => {
  service = await startService();
  portal = await portalOf(service);
});

test.after.always(async () => {
  await service?.stop();
});

/** A partner with an active rule of 10 points per 1.00 and a draft of 20. */
async function withDraft(changes: Partial<RuleFields> = {}) {
  const partner = await service.partner();
  const { partnerId } = partner;
  const { _id: draftId } = await operate(portal.deps, createRule, {
    partnerId,
    mode: 'TEST',
    currency: 'USD',
    kind: 'PER_AMOUNT',
    points: 20,
    unitCents: 100,
    ...changes,
  } as RuleFields & { partnerId: string });
  const browser = await partnerBrowser(portal, partnerId, 'developer');
  await browser.open(`/rules/${draftId}`);
  return { partner, partnerId, draftId, browser, action: `/rules/${draftId}/back-test` };
}

test('a draft is back-tested from its page: totals beside the active rule, and the orders that differ', async (t) => {
  const { partner, partnerId, draftId, browser, action } = await withDraft();
  const bought = [];
  for (const subtotalCents of [1_000, 4_990]) {
    const { body } = await partner.purchase(aPurchase({ order: { subtotalCents } }));
    bought.push(body);
  }
  const started = await browser.submit(action, { mode: 'TEST' });
  t.regex(started.path, /^\/rules\/back-tests\/job_/);
  const { html } = await finishedJobPage(browser, started.path);
  t.false(html.includes('hx-trigger'));
  const words = textOf(html);
  t.regex(words, /had this been the active rule: 20 points for every \$1\.00/);
  // The active rule gives 100 and 499 points, the draft 200 and 998; each point is worth a cent.
  t.regex(words, /The active rule \$5\.99 599 points This draft \$11\.98 1,198 points/);
  t.regex(words, /Difference in cost \+\$5\.99 \+599 points; different for 2 of 2 orders/);
  t.true(
    html.indexOf(bought[1].eventId) < html.indexOf(bought[0].eventId),
    'the largest difference comes first',
  );
  t.true(html.includes(`href="/events/${bought[1].eventId}?mode=TEST"`));
  t.regex(textOf((await browser.open(`/rules/${draftId}`)).html), /TEST Done \$5\.99 \$11\.98/);
  t.regex(textOf((await browser.open('/rules?mode=TEST')).html), /TEST Done \$5\.99 \$11\.98/);
  const entry = await service.models.auditEntries.findOne({ partnerId, action: 'back-test.start' });
  t.like(entry, { status: 'DONE', targetId: draftId });
});

test('a back-test without purchases says so', async (t) => {
  const { browser, action } = await withDraft();
  const { path } = await browser.submit(action, { mode: 'TEST' });
  const words = textOf((await finishedJobPage(browser, path)).html);
  t.regex(words, /No purchases to replay yet .* no TEST purchase in USD that this draft/);
});

test('a back-test of an equal draft says that nothing changes', async (t) => {
  const { partner, browser, action } = await withDraft({ points: 10 });
  await partner.purchase();
  const { path } = await browser.submit(action, { mode: 'TEST' });
  const words = textOf((await finishedJobPage(browser, path)).html);
  t.regex(words, /±\$0\.00 ±0 points; different for 0 of 1 order/);
  t.regex(words, /Every order would have earned and cost the same/);
});

test('starting a second back-test opens the running one', async (t) => {
  const { partnerId, browser, draftId, action } = await withDraft();
  const { models } = service;
  const rule = toEarningRule(await findRule(models, draftId));
  // No worker runs it. An hour ahead, so that no page finds it stalled and starts it.
  const now = () => Date.now() + 3_600_000;
  const first = await queueBackTest({ models, now }, { partnerId, requestedBy: 'usr_1' }, rule);
  const second = await browser.submit(action, { mode: 'TEST' });
  t.is(second.path, `/rules/back-tests/${first._id}?mode=TEST`);
  t.regex(
    textOf(second.html),
    /A back-test is already running\. Wait until it is done\. Here it is\./,
  );
  t.regex(second.html, /<progress value="0" max="90"/);
});

test('a TEST draft can use LIVE purchases once the partner is live, and a LIVE draft only those', async (t) => {
  const { partnerId, draftId, browser, action } = await withDraft();
  const modeOn = async (path: string) => {
    const { html } = await browser.open(path);
    return formsIn(html).find((one) => one.action.endsWith('/back-test'))?.values.mode;
  };
  t.is(await modeOn(`/rules/${draftId}`), 'LIVE');
  const notYet = { state: 'TEST', requestedAt: null, reviewerId: null, decidedAt: null };
  await service.models.partners.updateOne(
    { _id: partnerId },
    { $set: { goLive: { ...notYet, reason: null } } },
  );
  t.is(await modeOn(`/rules/${draftId}`), 'TEST');
  const { _id } = await operate(portal.deps, createRule, {
    partnerId,
    mode: 'LIVE',
    currency: 'USD',
    kind: 'FIXED',
    points: 20,
  });
  t.is(await modeOn(`/rules/${_id}`), 'LIVE');
  t.is((await browser.post(action, { mode: 'BOTH' })).status, 400);
});

test('the active rule cannot be back-tested, and a viewer cannot start one', async (t) => {
  const { partnerId, draftId } = await withDraft();
  const viewer = await partnerBrowser(portal, partnerId, 'viewer');
  t.false((await viewer.open(`/rules/${draftId}`)).html.includes('/back-test'));
  const active = await service.models.earningRules.findOne({ partnerId, points: 10 }).orFail();
  const owner = await partnerBrowser(portal, partnerId);
  t.false((await owner.open(`/rules/${active._id}`)).html.includes('/back-test'));
});
