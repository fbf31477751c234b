import type { Mode } from '../../../domain/mode.ts';
import { isMoving, type MovingOperation, movingOperations } from '../../../domain/operators.ts';
import { liveAccounts, testAccounts } from '../../../domain/postings.ts';
import type { AuditEntryDoc } from '../../schemas/audit.ts';
import type { EntryDoc } from '../../schemas/entries.ts';
import type { AuditDeps } from '../audit.ts';
import type { DocCheck, MovingOperationDoc } from '../sources.ts';

/** The ledger entry of an operation: an amount in an account, under a reference. */
interface Trace {
  mode: Mode;
  reference: string;
  account: string;
  amount: number;
}

type TraceOf = (targetId: string, details: Record<string, unknown>) => Trace;

/** Derived here independently of the code that moves the money. */
const traces: Record<MovingOperation, TraceOf> = {
  'partner.top-up': (_partnerId, { reference, amountCents }) => ({
    mode: 'LIVE',
    reference: `topUp:${reference}`,
    account: liveAccounts.funding,
    amount: Number(amountCents),
  }),
  'integration.test-funding': (integrationId, { reference, amountCents }) => ({
    mode: 'TEST',
    reference: `topUp:${integrationId}:${reference}`,
    account: testAccounts(integrationId).funding,
    amount: Number(amountCents),
  }),
  'customer.redeem': (customerId, { reference, points }) => ({
    mode: 'LIVE',
    reference: `redeem:${reference}`,
    account: liveAccounts.points.customer(customerId),
    amount: 0 - Number(points),
  }),
};

const traceOf = ({ action, targetId, details }: MovingOperationDoc): Trace =>
  traces[action](targetId ?? '', details);

const amountIn = (entry: EntryDoc | null | undefined, account: string): number | undefined =>
  entry?.postings.find((posting) => posting.account === account)?.amount;

/** What operators moved according to the audit log is in the ledger. */
export const recordedOperations: DocCheck<MovingOperationDoc> = {
  name: 'operators: the ledger has everything they moved',
  async problemsOf(deps, partnerId, operations) {
    const told = operations.map((doc) => ({ doc, trace: traceOf(doc) }));
    const traced = told.map(({ trace }) => trace);
    const books = {
      LIVE: await entriesUnder(deps, partnerId, 'LIVE', traced),
      TEST: await entriesUnder(deps, partnerId, 'TEST', traced),
    };
    return told.flatMap(({ doc, trace: { mode, reference, account, amount } }) => {
      const entry = books[mode].get(reference);
      const moved = amountIn(entry, account);
      if (moved === amount) return [];
      const found = entry ? `${entry._id} has ${moved} instead of ${amount}` : 'it is missing';
      return [{ doc, text: `${reference}, partner ${partnerId}, operation ${doc._id}: ${found}` }];
    });
  },
};

/** The entries of the operations of a mode, by reference. */
async function entriesUnder(
  { ledger }: AuditDeps,
  partnerId: string,
  mode: Mode,
  traces: readonly Trace[],
): Promise<Map<string, EntryDoc>> {
  const references = traces.filter((one) => one.mode === mode).map(({ reference }) => reference);
  if (references.length === 0) return new Map();
  const entries = await ledger.of(mode).model.find({ partnerId, reference: { $in: references } });
  return new Map(entries.map((entry) => [entry.reference, entry]));
}

/**
 * Whether an operation that was never completed took effect, so that only its outcome is missing.
 */
export async function hasEffect(
  { ledger, models }: Pick<AuditDeps, 'ledger' | 'models'>,
  { action, partnerId, targetId, actorId, details }: AuditEntryDoc,
): Promise<boolean> {
  if (partnerId === null || targetId === null) return false;
  if (action === 'review.decide') {
    const review = await models.reviews.findOne({ partnerId, _id: targetId });
    const decision = review?.decision;
    return decision?.operatorId === actorId && decision.verdict === details.decision;
  }
  if (action === 'reward.cancel') {
    const reward = await models.rewards.findOne({ partnerId, _id: targetId });
    return reward?.cancellation?.operatorId === actorId;
  }
  if (action === 'test-clock.claim' || action === 'test-clock.expire') {
    const reward = await models.rewards.findOne({ partnerId, _id: targetId });
    const made = action === 'test-clock.claim' ? 'CLAIM' : 'EXPIRE';
    return reward?.moves.some(({ move }) => move === made) ?? false;
  }
  if (!isMoving(action)) return false;
  const { mode, reference, account, amount } = traces[action](targetId, details);
  return amountIn(await ledger.of(mode).find(partnerId, reference), account) === amount;
}

/** Operations that may have moved money: not those that failed. */
const behind = { status: { $ne: 'FAILED' } } as const;

const operatorsMove = { words: ['topUp', 'redeem'], kinds: ['TOP_UP', 'REDEEM'] };
const operatorsUphold = { words: ['clawback'], kinds: ['CLAWBACK', 'WRITE_OFF'] };

/** By its reference or its kind, so that forging one of them is not enough. */
function isOneOf({ reference, kind }: EntryDoc, { words, kinds }: typeof operatorsMove): boolean {
  return words.includes(reference.split(':')[0] ?? '') || kinds.includes(kind);
}

/** The reverse check: every entry that only operators can make has its operation. */
export const hasOperation = (chainName: string, mode: Mode): DocCheck<EntryDoc> => ({
  name: `${chainName}: what operators moved is in the audit log`,
  async problemsOf(deps, partnerId, entries) {
    const moved = entries.filter((entry) => isOneOf(entry, operatorsMove));
    const clawedBack = entries.filter((entry) => isOneOf(entry, operatorsUphold));
    const [explained, upheld] = await Promise.all([
      operationsOf(deps, partnerId, mode, moved),
      upheldRewards(deps, partnerId, clawedBack),
    ]);
    const isExplained = (entry: EntryDoc): boolean =>
      (explained.get(entry.reference) ?? []).some(
        ({ account, amount }) => amountIn(entry, account) === amount,
      );
    return [
      ...moved.filter((entry) => !isExplained(entry)),
      ...clawedBack.filter(({ rewardId }) => !upheld.has(rewardId ?? '')),
    ].map((doc) => ({
      doc,
      text: `${doc._id} (${doc.reference}), partner ${partnerId}: no operation of an operator is behind it`,
    }));
  },
});

/** The amounts of operations, by the reference of their entry. */
async function operationsOf(
  { models }: AuditDeps,
  partnerId: string,
  mode: Mode,
  entries: readonly EntryDoc[],
): Promise<Map<string, Trace[]>> {
  if (entries.length === 0) return new Map();
  const operations = await models.auditEntries
    .find({
      partnerId,
      'details.reference': { $in: entries.flatMap(operatorsReferences) },
      action: { $in: movingOperations },
      ...behind,
    })
    .lean<MovingOperationDoc[]>();
  const told = operations.map(traceOf).filter((trace) => trace.mode === mode);
  return Map.groupBy(told, ({ reference }) => reference);
}

/**
 * The references that the operator may have given: after the prefix and, in TEST, after the
 * integration's id as well.
 */
function operatorsReferences({ reference }: EntryDoc): string[] {
  const named = reference.slice(reference.indexOf(':') + 1);
  return [named, named.slice(named.indexOf(':') + 1)];
}

/** The rewards whose refund was upheld by an operation in the audit log. */
async function upheldRewards(
  { models }: AuditDeps,
  partnerId: string,
  entries: readonly EntryDoc[],
): Promise<Set<string>> {
  if (entries.length === 0) return new Set();
  const rewardIds = entries.flatMap(({ rewardId }) => rewardId ?? []);
  const rewards = await models.rewards.find({ partnerId, _id: { $in: rewardIds } });
  const operations = await models.auditEntries.find({
    partnerId,
    targetId: { $in: rewards.flatMap(({ review }) => review?.reviewId ?? []) },
    action: 'review.decide',
    'details.decision': 'UPHOLD',
    ...behind,
  });
  const upheld = new Set(operations.map(({ targetId }) => targetId));
  return new Set(
    rewards.flatMap(({ _id, review }) => (review && upheld.has(review.reviewId) ? [_id] : [])),
  );
}
