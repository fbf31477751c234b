import test from 'ava';
import { reviewIdOf } from '../../domain/review.ts';
import type { ReviewDoc } from '../../models/schemas/reviews.ts';
import { eraseCustomer } from '../../operations/customers.ts';
import { newId } from '../../platform/ids.ts';
import { eventually } from '../helpers/eventually.ts';
import { topUpAsOperator } from '../helpers/ledger-operations.ts';
import { operate } from '../helpers/operate.ts';
import { type Service, startService } from '../helpers/service.ts';
import { townOf } from '../helpers/town.ts';
import { textOf } from './helpers/browser.ts';
import { operatorBrowser } from './helpers/people.ts';
import { configOf, startPortal, type TestPortal } from './helpers/portal.ts';
import { storeReview } from './helpers/stored.ts';

let service: Service;
let portal: TestPortal;
test.before(async () => {
  service = await startService();
  portal = await startPortal(service, {
    config: configOf(service, { FOUR_EYES: 'on', FOUR_EYES_REVIEW_CENTS: '100' }),
  });
});
test.after.always(async () => {
  await portal?.stop();
  await service?.stop();
});

const rewardOf = async (rewardId: string) =>
  await service.models.rewards.findById(rewardId).orFail();

test('a review above the threshold needs two operators', async (t) => {
  const partner = await service.partner({ mode: 'LIVE', fundingCents: 1_000 });
  const review = await townOf(service).reviewed(partner);
  const path = `/admin/reviews/${review._id}`;
  const [ada, bob] = await Promise.all([
    operatorBrowser(portal, 'support'),
    operatorBrowser(portal, 'support'),
  ]);

  await ada.open(path);
  t.regex(textOf(ada.shown?.html ?? ''), /499 points leave .* \$4\.99 goes back .* needs two/);
  const proposed = await ada.submit(`${path}/decide`, {
    because: 'UPHOLD GOODS_RETURNED',
    reason: 'Jane sent it back',
  });
  const approval = proposed.path;
  t.regex(approval, /^\/admin\/approvals\/prp_/);
  t.regex(textOf(proposed.html), /Another operator must approve what you proposed/);
  t.false(proposed.html.includes(`action="${approval}/approve"`));

  await bob.open(approval);
  t.regex(textOf(bob.shown?.html ?? ''), /Jane sent it back/);
  const approved = await bob.submit(`${approval}/approve`, {});
  t.regex(textOf(approved.html), /Approved and carried out/);
  t.notRegex(textOf(approved.html), /Expires/);
  t.is((await rewardOf(review.rewardId)).state, 'CANCELLED');

  const decided = textOf((await bob.open(path)).html);
  t.regex(decided, /Upheld By An support .* Goods returned .* Jane sent it back/);
  t.notRegex(decided, /Uphold refund …/);
});

test('a review below the threshold needs one operator and a reason from the list', async (t) => {
  const partner = await service.partner();
  const review = await townOf(service).reviewed(partner);
  const path = `/admin/reviews/${review._id}`;
  const ada = await operatorBrowser(portal, 'support');
  await ada.open(path);
  t.regex(textOf((await ada.submit(`${path}/decide`)).html), /Choose a decision/);
  const foreign = await ada.submit(`${path}/decide`, { because: 'DISMISS FRAUD' });
  t.is(foreign.status, 422);
  const other = await ada.submit(`${path}/decide`, { because: 'DISMISS OTHER' });
  t.regex(textOf(other.html), /Describe the reason in your own words/);
  const done = await ada.submit(`${path}/decide`, { because: 'DISMISS GOODWILL', reason: '' });
  t.is(done.path, path);
  t.regex(textOf(done.html), /Refund dismissed.*Goodwill towards the customer/);
  t.is((await rewardOf(review.rewardId)).state, 'AVAILABLE');
});

test('a review’s page shows its evidence and no customer, and leaves an audit entry', async (t) => {
  const partner = await service.partner({ mode: 'LIVE', fundingCents: 10_000 });
  const customer = { email: 'anna.smith@customers.example' };
  const before = await townOf(service).reviewed(partner, { customer });
  const review = await townOf(service).reviewed(partner, {
    customer,
    reason: 'the lid was broken',
    order: { subtotalCents: 2_000 },
  });
  const viewer = await operatorBrowser(portal, 'viewer');
  const { html } = await viewer.open(`/admin/reviews/${review._id}`);
  const text = textOf(html);
  for (const evidence of [
    /Amount \$20\.00/,
    /the lid was broken/,
    /200 points, \$2\.00/,
    /still holds 699 points, \$6\.99/,
    /If upheld, returned to the partner \$2\.00/,
    /The customer claimed the reward/,
    /200 points.*rounded down/,
    /an operator decides/,
  ]) {
    t.regex(text, evidence);
  }
  t.true(
    html.includes(`/admin/reviews/${before._id}`),
    'the page links to the customer’s other review',
  );
  t.true(html.includes(`/workflows/${encodeURIComponent(review.workflowId)}`));
  t.false(html.includes('anna'));
  t.notRegex(html, /\/decide/);
  const read = await service.models.auditEntries.findOne({
    action: 'review.read',
    targetId: review._id,
  });
  t.like(read, { status: 'DONE', partnerId: partner.partnerId });
});

test('a review’s page shows how often it was escalated, and nothing if it never was', async (t) => {
  const { partnerId } = await service.partner();
  const viewer = await operatorBrowser(portal, 'viewer');
  for (const [rounds, said] of [
    [1, null],
    [2, /Escalated once/],
    [3, /Escalated 2 times/],
  ] as const) {
    const { review } = await storeReview(portal, markOf({ partnerId }), { rounds });
    const text = textOf((await viewer.open(`/admin/reviews/${review._id}`)).html);
    if (said === null) t.notRegex(text, /Escalated/);
    else t.regex(text, said);
  }
});

test('spent points show the amount that would be written off', async (t) => {
  const partner = await service.partner({ mode: 'LIVE', fundingCents: 1_000 });
  const fay = await operatorBrowser(portal, 'finance');
  const review = await townOf(service).reviewed(partner, {
    async meanwhile(rewardId) {
      const { customerId } = await rewardOf(rewardId);
      await fay.open(`/admin/customers/${customerId}`);
      await fay.submit(`/admin/customers/${customerId}/redeem`, {
        points: '400',
        reference: 'till 1',
      });
    },
  });
  const { html } = await fay.open(`/admin/reviews/${review._id}`);
  t.regex(textOf(html), /still holds 99 points, \$0\.99/);
  t.regex(textOf(html), /If upheld, written off \$4\.00 ?, 400 points/);
  t.regex(textOf(html), /already spent some of these points, or set them aside at a checkout/);
});

const markOf = ({ partnerId }: { partnerId: string }) => ({ partnerId, mark: 'Queue' });

test('reviews are sorted by due time, overdue ones are marked, and pages are linked', async (t) => {
  const { partnerId } = await service.partner();
  const hourMs = 3_600_000;
  const { review } = await storeReview(portal, markOf({ partnerId }));
  const stored = Array.from({ length: 60 }, (_, place): ReviewDoc => {
    const refundEventId = newId('event');
    // Two reviews are due at each instant.
    const dueAt = new Date(Date.now() + (Math.floor(place / 2) - 5) * hourMs);
    const mode = place % 3 === 0 ? 'LIVE' : 'TEST';
    return { ...review, _id: reviewIdOf(refundEventId), refundEventId, dueAt, mode };
  });
  await service.models.reviews.deleteOne({ _id: review._id });
  await service.models.reviews.insertMany(stored);
  const due = stored
    .toSorted((one, other) => +one.dueAt - +other.dueAt || (one._id < other._id ? -1 : 1))
    .map(({ _id }) => _id);
  const ada = await operatorBrowser(portal, 'viewer');
  const walk = async (query: string): Promise<string[]> => {
    const seen: string[] = [];
    let next: string | undefined = `/admin/reviews?partner=${partnerId}${query}`;
    while (next !== undefined) {
      const { html } = await ada.open(next);
      seen.push(...[...html.matchAll(/\/admin\/reviews\/(rev_\w+)/g)].map(([, id]) => id ?? ''));
      next = /<a href="([^"]+)" rel="next">/.exec(html)?.[1]?.replaceAll('&amp;', '&');
    }
    return seen;
  };
  t.deepEqual(await walk(''), due);
  t.deepEqual(await walk('&state=OVERDUE'), due.slice(0, 12));
  const live = due.filter((id) => stored.find(({ _id }) => _id === id)?.mode === 'LIVE');
  t.deepEqual(await walk('&mode=LIVE'), live);
  t.deepEqual(await walk('&state=DECIDED'), []);
  const { html } = await ada.open(`/admin/reviews?partner=${partnerId}`);
  t.is([...html.matchAll(/Overdue, \d+ h ago/g)].length, 10);
  for (const cursor of ['x', 'YWJj', Buffer.from('1 evt_x').toString('base64url')]) {
    t.is((await ada.ask('GET', `/admin/reviews?cursor=${cursor}`)).status, 404, cursor);
  }
});

test('an erased customer’s review can still be read and decided', async (t) => {
  const partner = await service.partner();
  const review = await townOf(service).reviewed(partner, { reason: 'Jane sent it back' });
  const { customerId } = await rewardOf(review.rewardId);
  const ada = await operatorBrowser(portal, 'support');
  const path = `/admin/reviews/${review._id}`;
  t.true((await ada.open(path)).html.includes('Jane'));
  await operate(portal.deps, eraseCustomer, { customerId, reference: 'letter 1' });
  const { status, html } = await ada.open(path);
  t.is(status, 200);
  t.false(html.includes('Jane'));
  await ada.submit(`${path}/decide`, { because: 'UPHOLD ORDER_CANCELLED' });
  const decided = await eventually(
    () => service.models.reviews.findOne({ _id: review._id, status: 'DECIDED' }),
    'the review is decided',
  );
  t.is(decided.decision?.reasonCode, 'ORDER_CANCELLED');
});

test('the queue and a joint decision show which reviews wait for an answer', async (t) => {
  const { partnerId } = await service.partner();
  const { review } = await storeReview(portal, markOf({ partnerId }));
  const ada = await operatorBrowser(portal, 'support');
  const queue = `/admin/reviews?partner=${partnerId}`;
  const together = `/admin/reviews/decide?review=${review._id}`;
  t.notRegex(textOf((await ada.open(queue)).html), /Question not answered/);
  const path = `/admin/reviews/${review._id}`;
  await ada.open(path);
  await ada.submit(`${path}/ask`, { question: 'Was it worn?' });
  for (const list of [queue, together]) {
    t.regex(textOf((await ada.open(list)).html), /Question not answered/, list);
  }
});

test('operators leave notes and assign reviews; a viewer sees no form', async (t) => {
  const { partnerId } = await service.partner();
  const { review } = await storeReview(portal, markOf({ partnerId }));
  const path = `/admin/reviews/${review._id}`;
  const ada = await operatorBrowser(portal, 'support');
  await ada.open(path);
  const empty = await ada.submit(`${path}/notes`, { text: '' });
  t.is(empty.status, 422);
  t.regex(textOf(empty.html), /Enter some text/);
  const noted = await ada.submit(`${path}/notes`, { text: 'I called <the> shop' });
  t.regex(textOf(noted.html), /Note added.*I called <the> shop Note by An support, /);

  t.regex(textOf(noted.html), /Assigned to Nobody/);
  const me = /value="(opr_\w+)" selected/.exec(noted.html)?.[1] ?? '';
  const assigned = await ada.submit(`${path}/assign`, { assigneeId: me });
  t.regex(textOf(assigned.html), /Assigned.*Assigned to An support/);
  const mine = (await ada.open('/admin/reviews?state=MINE')).html;
  t.deepEqual(
    [...mine.matchAll(/\/admin\/reviews\/(rev_\w+)/g)].map(([, id]) => id),
    [review._id],
  );
  const bob = await operatorBrowser(portal, 'support');
  const others = textOf((await bob.open('/admin/reviews?state=MINE')).html);
  t.regex(others, /Nothing is assigned to you/);

  const viewer = await operatorBrowser(portal, 'viewer');
  const read = (await viewer.open(path)).html;
  t.regex(textOf(read), /I called <the> shop/);
  t.notRegex(read, /\/notes|\/assign/);
});

test('the menu counts open reviews, up to a limit', async (t) => {
  const { partnerId } = await service.partner();
  await storeReview(portal, markOf({ partnerId }));
  const viewer = await operatorBrowser(portal, 'viewer');
  const { html } = await viewer.open('/admin');
  t.regex(html, /<a href="\/admin\/reviews" *>Reviews<\/a><span class="menu-count">\d+\+?</);
});

test('several reviews below the threshold are decided at once; others are named and skipped', async (t) => {
  const { partnerId } = await service.partner();
  await topUpAsOperator(service, { partnerId, mode: 'LIVE' }, 1_000);
  const store = async (mode: 'LIVE' | 'TEST') =>
    (await storeReview(portal, markOf({ partnerId }), { mode })).review;
  const [one, other, large, decided] = await Promise.all([
    ...[store('TEST'), store('TEST'), store('LIVE'), store('TEST')],
  ] as const);
  const ada = await operatorBrowser(portal, 'support');
  await ada.open(`/admin/reviews/${decided._id}`);
  await ada.submit(`/admin/reviews/${decided._id}/decide`, { because: 'UPHOLD FRAUD' });

  const chosen = [one, other, large, decided].map(({ _id }) => `review=${_id}`).join('&');
  const list = await ada.open(`/admin/reviews?partner=${partnerId}`);
  t.regex(list.html, new RegExp(`type="checkbox" name="review" value="${one._id}"`));
  const path = '/admin/reviews/decide';
  const shown = await ada.open(`${path}?${chosen}`);
  t.regex(textOf(shown.html), /Not included: needs two operators/);
  t.regex(textOf(shown.html), /Decide 2 reviews/);
  const review = [one, other, large, decided].map(({ _id }) => _id);
  const unsaid = await ada.submit(path, { review });
  t.regex(textOf(unsaid.html), /Choose a decision/);
  const wordless = await ada.submit(path, { review, because: 'DISMISS OTHER' });
  t.regex(textOf(wordless.html), /Describe the reason in your own words/);
  const foreign = await ada.submit(path, { review, because: 'DISMISS FRAUD' });
  t.regex(textOf(foreign.html), /Choose a decision/);
  const done = await ada.submit(path, {
    review,
    because: 'DISMISS GOODWILL',
    reason: 'a bad week',
  });
  t.regex(textOf(done.html), /2 of 4 refunds are dismissed/);
  t.deepEqual([...done.html.matchAll(/(Dismissed|Upheld|needs two operators)</g)].length, 4);
  t.notRegex(done.html, /Decide \d+ reviews/);
  for (const { rewardId } of [one, other]) t.is((await rewardOf(rewardId)).state, 'AVAILABLE');
  t.is((await rewardOf(large.rewardId)).state, 'IN_REVIEW');
  t.is((await rewardOf(decided.rewardId)).state, 'CANCELLED');
  t.is(await service.models.proposals.countDocuments({ partnerId }), 0);
  t.regex(textOf((await ada.open(`/admin/reviews/${one._id}`)).html), /a bad week/);

  const viewer = await operatorBrowser(portal, 'viewer');
  t.notRegex((await viewer.open(`/admin/reviews?partner=${partnerId}`)).html, /checkbox|\/decide/);
});
