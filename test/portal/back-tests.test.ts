import test from 'ava';
import { startBackTest } from '../../models/jobs/index.ts';
import { findRule, toEarningRule } from '../../models/rewards/rules.ts';
import { createRule, type RuleFields } from '../../operations/earning-rules.ts';
import { operate } from '../helpers/operate.ts';
import { aPurchase } from '../helpers/partner-backend.ts';
import { type Service, startService } from '../helpers/service.ts';
import { formsIn, textOf } from './helpers/browser.ts';
import { finishedJobPage } from './helpers/finished-job-page.ts';
import { partnerBrowser } from './helpers/people.ts';
import { portalOf, type SomePortal } from './helpers/portal.ts';

let service: Service;
let portal: SomePortal;
test.before(async () => {
  service = await startService();
  portal = await portalOf(service);
});
test.after.always(() => service?.stop());

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
  const first = await startBackTest({ models, now }, { partnerId, requestedBy: 'usr_1' }, rule);
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
