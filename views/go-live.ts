import type { Platform } from '../domain/connections.ts';
import type { EarningRule } from '../domain/earning-rules.ts';
import {
  type GoLiveEvidence,
  goLiveChecklist,
  goLiveProfile,
  type SetUp,
  type SetUpEvidence,
  setUpOf,
} from '../domain/go-live.ts';
import { namesOfActors } from '../models/identity/operators.ts';
import { findPartner } from '../models/identity/partners.ts';
import { walletBalances } from '../models/ledger/index.ts';
import { findActiveRules, toEarningRule } from '../models/rewards/rules.ts';
import { externalIdIndexes, type OrderEventDoc } from '../models/schemas/events.ts';
import type { Models } from '../models/schemas/index.ts';
import type { PartnerDoc } from '../models/schemas/partners.ts';
import type { ViewDeps } from './deps.ts';
import { type PartnerScope, scopeOf } from './partner-scope.ts';
import { readRehearsal } from './rehearsals.ts';

/** How to name the pieces of evidence for a step, by their ids. */
export type EvidenceNames = ReadonlyMap<string, EvidenceName>;

export type EvidenceName =
  | { kind: 'INTEGRATION'; name: string }
  | { kind: 'KEY'; apiKey: string }
  | { kind: 'CONNECTION'; platform: Platform }
  | { kind: 'RULE'; rule: EarningRule }
  | { kind: 'EVENT'; type: OrderEventDoc['type']; externalOrderId: string }
  | { kind: 'REWARD'; points: number; externalOrderId: string }
  | { kind: 'TOP_UP'; cents: number };

type Named = readonly [id: string, name: EvidenceName];

/**
 * Reads the names of evidence. Ids that are unknown, or another partner's, are left out.
 * @param ids a few ids of any type
 */
export async function readEvidence(
  { models }: Pick<ViewDeps, 'models'>,
  partnerId: PartnerScope,
  ids: readonly string[],
): Promise<EvidenceNames> {
  const own = (prefix: string) => ({
    partnerId,
    _id: { $in: ids.filter((id) => id.startsWith(`${prefix}_`)) },
  });
  const { integrations, credentials, connections, earningRules, orderEvents, rewards, ledger } =
    models;
  const named: Named[][] = await Promise.all([
    integrations.find(own('int')).then(all(({ name }) => ({ kind: 'INTEGRATION', name }))),
    credentials.find(own('key')).then(all(({ apiKey }) => ({ kind: 'KEY', apiKey }))),
    connections
      .find(own('con'), { platform: 1 })
      .then(all(({ platform }) => ({ kind: 'CONNECTION', platform }))),
    earningRules
      .find(own('rul'))
      .then(all((rule) => ({ kind: 'RULE', rule: toEarningRule(rule) }))),
    orderEvents
      .find(own('evt'), { type: 1, externalOrderId: 1 })
      .then(all(({ type, externalOrderId }) => ({ kind: 'EVENT', type, externalOrderId }))),
    rewards
      .find(own('PNR'), { points: 1, externalOrderId: 1 })
      .then(all(({ points, externalOrderId }) => ({ kind: 'REWARD', points, externalOrderId }))),
    ledger
      .find(own('txn'), { postings: 1 })
      .then(all(({ postings }) => ({ kind: 'TOP_UP', cents: toppedUpCents(postings) }))),
  ]);
  return new Map(named.flat());
}

const all =
  <Doc extends { _id: string }>(nameOf: (doc: Doc) => EvidenceName) =>
  (docs: readonly Doc[]): Named[] =>
    docs.map((doc) => [doc._id, nameOf(doc)]);

const toppedUpCents = (postings: readonly { amount: number }[]): number =>
  Math.max(...postings.map(({ amount }) => amount));

/** Pieces of evidence per condition; a large partner has more than a checklist should show. */
const maxEvidence = 10;

/**
 * Reads the evidence for the go-live checklist. Each read costs a few entries of one index, however many
 * events the partner has.
 */
export async function readGoLiveEvidence(
  { models }: { models: Models },
  partner: PartnerDoc,
): Promise<GoLiveEvidence> {
  const { _id: partnerId, goLive } = partner;
  const [rules, balanceCents, topUps, integrations, evidence] = await Promise.all([
    findActiveRules(models, partnerId, 'LIVE'),
    walletBalances(models, { mode: 'LIVE', partnerId }).then(({ fundingCents }) => fundingCents),
    models.ledger
      .find({ partnerId, mode: 'LIVE', reference: { $gte: 'topUp:', $lt: 'topUp;' } }, { _id: 1 })
      .limit(maxEvidence),
    models.integrations.find({ partnerId }, { _id: 1 }).limit(maxEvidence),
    testEvidence(models, partnerId),
  ]);
  return {
    profile: goLiveProfile(partner),
    liveRuleIds: rules.map(({ ruleId }) => ruleId),
    funding: {
      balanceCents,
      minimumCents: partner.goLiveMinimumFundingCents,
      transactionIds: topUps.map(({ _id }) => _id),
    },
    integrationIds: integrations.map(({ _id }) => _id),
    ...evidence,
    state: goLive.state,
    approvedBy: goLive.state === 'LIVE' ? goLive.reviewerId : null,
  };
}

/** A TEST refund and its purchase or, without a refund, any TEST purchase. */
async function testEvidence(
  models: Models,
  partnerId: string,
): Promise<Pick<GoLiveEvidence, 'testPurchaseId' | 'testRefund'>> {
  const any = (type: 'PURCHASE' | 'REFUND') =>
    models.orderEvents
      .findOne({ partnerId, mode: 'TEST', type }, { purchaseEventId: 1 })
      .hint(type === 'REFUND' ? externalIdIndexes.refund : externalIdIndexes.order);
  const refund = await any('REFUND');
  const purchase = refund
    ? await models.orderEvents.findOne(
        { partnerId, _id: refund.purchaseEventId, type: 'PURCHASE' },
        { _id: 1 },
      )
    : await any('PURCHASE');
  return {
    testPurchaseId: purchase?._id ?? null,
    testRefund: refund && { eventId: refund._id, purchaseEventId: refund.purchaseEventId },
  };
}

/** A partner's checklist, and the name of its reviewer; for operators. @throws ServiceError NOT_FOUND */
export async function readGoLiveRequest(deps: Pick<ViewDeps, 'models' | 'now'>, partnerId: string) {
  const partner = await findPartner(deps.models, partnerId);
  const known = await readGoLiveEvidence(deps, partner);
  const [nameOf, rehearsal] = await Promise.all([
    namesOfActors(deps.models, [partner.goLive.reviewerId]),
    readRehearsal(deps, scopeOf(partner)),
  ]);
  return { partner, known, checklist: goLiveChecklist(known), nameOf, rehearsal };
}

export type GoLiveRequest = Awaited<ReturnType<typeof readGoLiveRequest>>;

/** Pieces of evidence per step; a large partner has more than the list should show. */
const maxSetUpEvidence = 3;

/**
 * Reads the evidence for the set-up list. Each read costs a few entries of one index, however many events
 * the partner has.
 */
export async function readSetUpEvidence(
  { models }: { models: Models },
  partner: PartnerDoc,
): Promise<SetUpEvidence> {
  const { _id: partnerId } = partner;
  const keysOf = async (mode: 'TEST' | 'LIVE', conditions: Record<string, unknown>) =>
    (
      await models.credentials
        .find({ partnerId, mode, ...conditions }, { _id: 1 })
        .sort({ _id: 1 })
        .limit(maxSetUpEvidence)
    ).map(({ _id }) => _id);
  /** A connection proves itself by its platform's secret, as a key does by its own. */
  const connectionsOf = async (mode: 'TEST' | 'LIVE', conditions: Record<string, unknown>) =>
    (
      await models.connections
        .find({ partnerId, mode, ...conditions }, { _id: 1 })
        .sort({ _id: 1 })
        .limit(maxSetUpEvidence)
    ).map(({ _id }) => _id);
  const proofsOf = async (
    mode: 'TEST' | 'LIVE',
    ofKeys: Record<string, unknown>,
    ofConnections: Record<string, unknown>,
  ) =>
    (await Promise.all([keysOf(mode, ofKeys), connectionsOf(mode, ofConnections)]))
      .flat()
      .slice(0, maxSetUpEvidence);
  const [goLive, testKeyIds, [usedTestKeyId = null], rules, funding, liveKeyIds] =
    await Promise.all([
      readGoLiveEvidence({ models }, partner),
      proofsOf('TEST', { revokedAt: null }, { endedAt: null }),
      proofsOf(
        'TEST',
        { 'secrets.lastUsedAt': { $type: 'date' } },
        { 'seen.firstProvenAt': { $type: 'date' } },
      ),
      findActiveRules(models, partnerId, 'TEST'),
      models.ledger
        .find({ partnerId, mode: 'TEST', reference: { $gte: 'topUp:', $lt: 'topUp;' } }, { _id: 1 })
        .limit(maxSetUpEvidence),
      proofsOf('LIVE', { revokedAt: null }, { endedAt: null }),
    ]);
  const reward =
    goLive.testPurchaseId === null
      ? null
      : await models.rewards.findOne(
          { partnerId, purchaseEventId: goLive.testPurchaseId },
          { state: 1, moves: 1 },
        );
  return {
    goLive,
    testKeyIds,
    usedTestKeyId,
    testRuleIds: rules.map(({ ruleId }) => ruleId),
    promotableRuleIds: rules.flatMap(({ ruleId, currency }) =>
      currency === partner.currency ? [ruleId] : [],
    ),
    testFundingIds: funding.map(({ _id }) => _id),
    testReward: reward && {
      rewardId: reward._id,
      state: reward.state,
      isRefunded: reward.moves.some(({ refundEventId }) => refundEventId !== undefined),
    },
    liveKeyIds,
  };
}

/** A partner's progress with the set-up, with the evidence for each step. */
export async function readSetUp(deps: ViewDeps, partner: PartnerDoc) {
  const { known, setUp } = await readProgress(deps, partner);
  const ids = setUp.items.flatMap(({ evidence }) => evidence);
  const [evidence, rehearsal] = await Promise.all([
    readEvidence(deps, scopeOf(partner), ids),
    readRehearsal(deps, scopeOf(partner)),
  ]);
  return { known, setUp, evidence, rehearsal };
}

/** A partner's progress with the set-up, without the evidence. */
export async function readProgress(
  deps: Pick<ViewDeps, 'models'>,
  partner: PartnerDoc,
): Promise<SetUpProgress> {
  const known = await readSetUpEvidence(deps, partner);
  return { known, setUp: setUpOf(known) };
}

export interface SetUpProgress {
  known: SetUpEvidence;
  setUp: SetUp;
}

export type SetUpOfPartner = Awaited<ReturnType<typeof readSetUp>>;
