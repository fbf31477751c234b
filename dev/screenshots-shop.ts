import { dayOf } from '../domain/billing.ts';
import type { DayUse } from '../domain/draft.ts';
import { dayMs } from '../domain/utc-days.ts';
import type { Models } from '../models/schemas/index.ts';
import type { UserDoc } from '../models/schemas/people.ts';
import { system } from '../operations/actor.ts';
import { activateRule as activate, createRule } from '../operations/earning-rules.ts';
import { execute } from '../operations/execute.ts';
import { createIntegration } from '../operations/integrations.ts';
import { createFirstOperator, createOperatorUser } from '../operations/operators.ts';
import { createPartner } from '../operations/partners.ts';
import { subscribe } from '../operations/subscriptions.ts';
import { newId } from '../platform/ids.ts';
import { eventually } from '../test/helpers/eventually.ts';
import { approved } from '../test/helpers/live-partner.ts';
import { type OwnService, startOwnService } from '../test/helpers/own-service.ts';
import { PartnerBackend } from '../test/helpers/partner-backend.ts';
import { activateRule } from '../test/helpers/service.ts';
import { aUser, signedIn } from '../test/portal/helpers/people.ts';
import { startPortal, type TestPortal } from '../test/portal/helpers/portal.ts';
import { claimLinkIn } from './demo/message-folder.ts';
import { profileOf } from './go-live.ts';
import { seedPlans } from './seed-plans.ts';

type OrderOutcome = 'OPEN' | 'CLAIMED' | 'RETURNED';

interface Order {
  daysAgo: number;
  subtotalCents: number;
  fate: OrderOutcome;
}

const customers = ['ines', 'tomasz', 'mei.lin', 'amara', 'jonas', 'priya', 'leo', 'sofia'];

const order = (daysAgo: number, subtotalCents: number, fate: OrderOutcome = 'CLAIMED'): Order => ({
  daysAgo,
  subtotalCents,
  fate,
});

/** A coffee roaster's recent weeks, oldest first. */
const orders: readonly Order[] = [
  ...[order(20, 3_450), order(20, 1_890), order(19, 7_200), order(18, 2_650), order(18, 4_990)],
  ...[order(17, 5_300), order(16, 1_250), order(15, 8_840), order(15, 2_990), order(14, 3_150)],
  ...[order(13, 6_400), order(12, 2_200), order(12, 9_950), order(11, 4_100)],
  ...[order(10, 3_790), order(9, 2_480), order(9, 5_600), order(8, 11_900), order(7, 1_990)],
  ...[
    order(6, 4_450),
    order(6, 3_300),
    order(5, 7_750),
    order(4, 2_850, 'RETURNED'),
    order(4, 6_120),
  ],
  ...[
    order(3, 3_690, 'RETURNED'),
    order(2, 15_240, 'RETURNED'),
    order(2, 2_100),
    order(1, 8_300),
    order(1, 4_780, 'RETURNED'),
  ],
  ...[order(1, 3_550), order(0, 6_900), order(0, 4_990), order(0, 4_250, 'OPEN')],
];

/** The subjects of the pictures: a live shop, one in set-up, and the viewers of their pages. */
export type ScreenshotSetup = Awaited<ReturnType<typeof setUpScreenshots>>;

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** When the shop was created, and when its billing period started. */
const [openDays, periodDays] = [40, 21];
const daysAgo = (days: number): Date => new Date(Date.now() - days * dayMs);

export async function setUpScreenshots() {
  const service = await startOwnService({ FOUR_EYES: 'on' });
  const portal = await startPortal(service);
  const shop = await createLivePartner(service);
  const { partnerId } = shop;
  const traded = await createPurchases(service, shop);
  await recountDays(service.models, partnerId);
  await sendFaultyRequests(service, shop);
  await createOperatorWork(service, portal, partnerId);
  const { models } = service;
  const of = { partnerId, mode: 'LIVE' as const };
  const refused = await eventually(
    () => models.refusedRequests.findOne(of).sort({ _id: -1 }),
    'the refused request is stored',
  );
  const review = await models.reviews.findOne({ partnerId }).sort({ dueAt: 1 }).orFail();
  return {
    portal,
    ...traded,
    partnerPath: `/admin/partners/${partnerId}`,
    refusedPath: `/doctor/requests/${refused._id}`,
    reviewPath: `/admin/reviews/${review._id}`,
    cookies: {
      owner: await cookieOf(portal, await aUser(portal, { partnerId, name: 'Maya Lindqvist' })),
      partnerInSetUp: await cookieOf(portal, await createPartnerInSetUp(service, portal)),
      operator: await cookieOf(portal, await createOperator(portal, 'Ada Okafor')),
    },
    async stop() {
      await portal.stop();
      await service.stop();
    },
  };
}

const cookieOf = async (portal: TestPortal, user: UserDoc): Promise<string | undefined> =>
  (await signedIn(portal, user)).cookies.get('session');

async function createOperator({ deps }: TestPortal, name: string): Promise<UserDoc> {
  const { operator } = await execute(deps, createFirstOperator, system('seed'), {
    name,
    role: 'admin',
  });
  const email = `${name.toLowerCase().replace(' ', '.')}@operators.example`;
  return await createOperatorUser(deps, operator, { email });
}

/**
 * A typical morning for operators: a top-up to approve, a shop that requests go-live, and one without funds.
 */
async function createOperatorWork(
  service: OwnService,
  portal: TestPortal,
  partnerId: string,
): Promise<void> {
  const colleague = await signedIn(portal, await createOperator(portal, 'Sam Reyes'));
  const topUp = `/admin/partners/${partnerId}/top-up`;
  await colleague.open(topUp);
  await colleague.submit(topUp, { amount: '2500.00', currency: 'USD', reference: 'wire 2290-771' });

  const requested = { state: 'IN_REVIEW', requestedAt: new Date(Date.now() - 7 * hourMs) } as const;
  const goLive = { ...requested, reviewerId: null, decidedAt: null, reason: null };
  await service.partner({ partner: { ...profileOf('Fernhill Cycles'), goLive } });

  const short = await service.partner({
    mode: 'LIVE',
    fundingCents: 2_000,
    partner: profileOf('Paper & Ink'),
  });
  for (const externalOrderId of ['#10438', '#10439', '#10440']) {
    await short.purchase({
      externalOrderId,
      customer: { email: 'leo@mail.example' },
      order: { subtotalCents: 12_000 },
    });
  }
  await service.allStarted();

  const [auditedAt, lookedAt] = [new Date(Date.now() - 4 * hourMs), 1_204];
  const summary = 'Clean: 19 checks, no faults.';
  const run = {
    startedAt: auditedAt,
    endedAt: auditedAt,
    lookedAt,
    faults: 0,
    summary,
    checks: [],
  };
  await service.models.auditRuns.create({ _id: newId('auditRun'), partnerId: null, ...run });
}

/** A shop that went live some weeks ago. */
async function createLivePartner(service: OwnService): Promise<PartnerBackend> {
  const { models, sealer } = service;
  const shop = await service.partner({
    mode: 'LIVE',
    fundingCents: 45_000,
    partner: {
      ...profileOf('Harbour Coffee Roasters'),
      branding: {
        language: 'en',
        timeZone: null,
        color: '#8a3b12',
        spendText: null,
        spendUrl: null,
      },
      goLive: { ...approved, requestedAt: daysAgo(openDays - 1), decidedAt: daysAgo(openDays - 2) },
      lowBalanceThresholdCents: 10_000,
    },
  });
  const { partnerId } = shop;
  await activateRule(models, { partnerId, mode: 'TEST' });
  await shop.withAnotherCredential(models, sealer, { mode: 'TEST' });
  const { starter } = await seedPlans({ models, now: Date.now });
  await execute({ models, now: () => daysAgo(periodDays).getTime() }, subscribe, system('seed'), {
    partnerId,
    planVersionId: starter,
    interval: 'MONTH',
  });
  const opened = { $set: { createdAt: daysAgo(openDays) } };
  await models.partners.updateOne({ _id: partnerId }, opened);
  await models.integrations.updateMany({ partnerId }, opened);
  await models.credentials.updateMany({ partnerId }, opened);
  await models.earningRules.updateMany({ partnerId }, opened);
  await models.ledger.updateMany({ partnerId }, { $set: { at: daysAgo(openDays) } });
  return shop;
}

/** Three weeks of purchases: most were claimed, one was refunded, and the newest is unclaimed. */
async function createPurchases(service: OwnService, shop: PartnerBackend) {
  const traded = { openLink: '', claimedLink: '', orderPath: '' };
  for (const [index, { daysAgo: days, subtotalCents, fate }] of orders.entries()) {
    const externalOrderId = `#${10_412 + index}`;
    const customer = { email: `${customers[index % customers.length]}@mail.example` };
    const { body, text } = await shop.purchase({
      externalOrderId,
      customer,
      order: { subtotalCents, currency: 'USD' },
    });
    if (!body.success) throw new Error(text);
    const rewardId: string = body.reward.id;
    const link = await linkOf(service, rewardId);
    if (fate !== 'OPEN') await service.claim(link.split('/').at(-1) ?? '');
    if (fate === 'RETURNED') {
      await shop.refund({ externalOrderId, reason: 'arrived broken' });
      await eventually(() => service.models.reviews.exists({ rewardId }), 'its review');
    }
    await service.requestLog.flush();
    await eventually(
      () => service.models.rewards.exists({ _id: rewardId, 'sent.0': { $exists: true } }),
      'its message is recorded',
    );
    await backdate(
      service.models,
      rewardId,
      days * dayMs + (orders.length - index) * 17 * minuteMs,
    );
    if (fate === 'OPEN') traded.openLink = link;
    if (fate !== 'CLAIMED') continue;
    traded.claimedLink = link;
    traded.orderPath = `/orders/${body.reward.id}`;
  }
  return traded;
}

/** The path of the link in a customer's email. */
async function linkOf({ mails }: OwnService, rewardId: string): Promise<string> {
  const mail = await eventually(async () => mails.find(({ id }) => id === rewardId), 'a mail');
  return new URL(claimLinkIn(mail.text) ?? '').pathname;
}

/** Typical mistakes: an order sent again, another currency, a reformatted body. */
async function sendFaultyRequests(service: OwnService, shop: PartnerBackend): Promise<void> {
  const purchase = (externalOrderId: string, currency = 'USD') => ({
    externalOrderId,
    customer: { email: 'ines@mail.example' },
    order: { subtotalCents: 2_350, currency },
  });
  await shop.purchase(purchase('#10412'));
  await shop.purchase(purchase('#10445', 'EUR'));
  const late = purchase('#10446');
  await shop.purchase(late, { sentBody: JSON.stringify(late, null, 2) });
  await service.requestLog.flush();
}

/** The owner of a shop halfway through its set-up. */
async function createPartnerInSetUp(service: OwnService, portal: TestPortal): Promise<UserDoc> {
  const { models, sealer, baseUrl } = service;
  const { deps } = portal;
  const { website: _, ...profile } = profileOf('Blue Bottle Books');
  const { _id: partnerId } = await execute(deps, createPartner, system('seed'), profile);
  const { _id: integrationId } = await execute(deps, createIntegration, system('seed'), {
    partnerId,
    name: 'Web shop',
  });
  const rule = await execute(deps, createRule, system('seed'), {
    partnerId,
    mode: 'TEST',
    currency: 'USD',
    kind: 'PER_AMOUNT',
    points: 10,
    unitCents: 100,
  });
  await execute(deps, activate, system('seed'), { ruleId: rule._id });
  const shop = await new PartnerBackend({
    baseUrl,
    partnerId,
    integrationId,
    mode: 'TEST',
    scopes: ['events:write', 'events:read'],
  }).addCredential(models, sealer);
  await shop.purchase({
    externalOrderId: 'test-1',
    customer: { email: 'olga@mail.example' },
    order: { subtotalCents: 4_990 },
  });
  await service.allStarted();
  return await aUser(portal, { partnerId, name: 'Olga Petrova' });
}

/**
 * Backdates a purchase and everything that followed. Only for screenshots: the audit would report the ledger
 * afterwards.
 */
async function backdate(models: Models, rewardId: string, byMs: number): Promise<void> {
  const earlier = (name: string) => ({ $subtract: [`$${name}`, byMs] });
  const each = (name: string) => {
    const at = { $subtract: ['$$one.at', byMs] };
    return { $map: { input: `$${name}`, as: 'one', in: { $mergeObjects: ['$$one', { at }] } } };
  };
  const events = await models.orderEvents.find({ rewardId }, { _id: 1 });
  const eventId = { $in: events.map(({ _id }) => _id) };
  const received = { receivedAt: earlier('receivedAt') };
  const asPipeline = { updatePipeline: true };
  await Promise.all([
    models.orderEvents.updateMany({ rewardId }, [{ $set: received }], asPipeline),
    models.requestLog.updateMany({ eventId }, [{ $set: received }], asPipeline),
    models.ledger.updateMany({ rewardId }, [{ $set: { at: earlier('at') } }], asPipeline),
    models.reviews.updateMany(
      { rewardId },
      [{ $set: { openedAt: earlier('openedAt'), dueAt: earlier('dueAt') } }],
      asPipeline,
    ),
    models.rewards.updateMany(
      { _id: rewardId },
      [
        {
          $set: {
            createdAt: earlier('createdAt'),
            updatedAt: earlier('updatedAt'),
            claimExpiresAt: earlier('claimExpiresAt'),
            moves: each('moves'),
            sent: each('sent'),
          },
        },
      ],
      asPipeline,
    ),
  ]);
}

/** Recomputes each day's use after rewards have moved to other days. */
async function recountDays(models: Models, partnerId: string): Promise<void> {
  const days = new Map<string, Record<string, DayUse>>();
  for (const { points, liabilityCents, moves, countedIn } of await models.rewards.find({
    partnerId,
  })) {
    const fundedAt = moves.find(({ move }) => move === 'FUND')?.at;
    if (countedIn === null || fundedAt === undefined) continue;
    const day = dayOf(fundedAt.toISOString());
    const ofPeriod = days.get(countedIn.periodId) ?? {};
    const before = ofPeriod[day] ?? { points: 0, cents: 0 };
    ofPeriod[day] = { points: before.points + points, cents: before.cents + liabilityCents };
    days.set(countedIn.periodId, ofPeriod);
  }
  for (const [_id, ofPeriod] of days) {
    await models.usagePeriods.updateOne({ partnerId, _id }, { $set: { days: ofPeriod } });
  }
}
