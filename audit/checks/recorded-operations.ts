import { references } from '../../domain/facts.ts';
import { type Mode, modes } from '../../domain/mode.ts';
import { isMoving, type MovingOperation, movingOperations } from '../../domain/operators.ts';
import { accounts, planReceivable } from '../../domain/postings.ts';
import { entryNameOf, type MadeMove, type RewardMove } from '../../domain/reward.ts';
import { findEntry } from '../../models/ledger/index.ts';
import type { AuditEntryDoc } from '../../models/schemas/audit.ts';
import type { EntryDoc } from '../../models/schemas/entries.ts';
import type { RewardDoc } from '../../models/schemas/rewards.ts';
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
    account: accounts.funding,
    amount: Number(amountCents),
  }),
  'test-funding.add': (_partnerId, { reference, amountCents }) => ({
    mode: 'TEST',
    reference: `topUp:${reference}`,
    account: accounts.funding,
    amount: Number(amountCents),
  }),
  'partner.withdraw': (_partnerId, { reference, amountCents }) => ({
    mode: 'LIVE',
    reference: `withdraw:${reference}`,
    account: accounts.funding,
    amount: 0 - Number(amountCents),
  }),
  'partner.correct-top-up': (_partnerId, { reference, amountCents }) => ({
    mode: 'LIVE',
    reference: `correct:${reference}`,
    account: accounts.funding,
    amount: 0 - Number(amountCents),
  }),
  'invoice.record-payment': (invoiceId, { reference, amountCents }) => ({
    mode: 'LIVE',
    reference: `payment:${invoiceId}:${reference}`,
    account: planReceivable,
    amount: Number(amountCents),
  }),
  'invoice.reverse-payment': (invoiceId, { reference, amountCents }) => ({
    mode: 'LIVE',
    reference: `reversal:${invoiceId}:${reference}`,
    account: planReceivable,
    amount: 0 - Number(amountCents),
  }),
  'invoice.void': (invoiceId, { amountCents }) => ({
    mode: 'LIVE',
    reference: `creditNote:${invoiceId}`,
    account: planReceivable,
    amount: Number(amountCents),
  }),
  'customer.redeem': (customerId, { reference, points }) => ({
    mode: 'LIVE',
    reference: `redeem:${reference}`,
    account: accounts.points.customer(customerId),
    amount: 0 - Number(points),
  }),
};

const traceOf = ({ action, targetId, details }: MovingOperationDoc): Trace =>
  traces[action](targetId ?? '', details);

const keyOf = ({ mode, reference }: Pick<Trace, 'mode' | 'reference'>): string =>
  `${mode} ${reference}`;

const amountIn = (entry: EntryDoc | null | undefined, account: string): number | undefined =>
  entry?.postings.find((posting) => posting.account === account)?.amount;

/** What operators moved according to the audit log is in the ledger. */
export const recordedOperations: DocCheck<MovingOperationDoc> = {
  name: 'operators: the ledger has everything they moved',
  async problemsOf(deps, partnerId, operations) {
    const told = operations.map((doc) => ({ doc, trace: traceOf(doc) }));
    const entries = await entriesUnder(
      deps,
      partnerId,
      told.map(({ trace }) => trace),
    );
    return told.flatMap(({ doc, trace }) => {
      const { reference, account, amount } = trace;
      const entry = entries.get(keyOf(trace));
      const moved = amountIn(entry, account);
      if (moved === amount) return [];
      const found = entry ? `${entry._id} has ${moved} instead of ${amount}` : 'it is missing';
      return [{ doc, text: `${reference}, partner ${partnerId}, operation ${doc._id}: ${found}` }];
    });
  },
};

/** The entries of operations, by mode and reference. */
async function entriesUnder(
  { models }: AuditDeps,
  partnerId: string,
  traces: readonly Trace[],
): Promise<Map<string, EntryDoc>> {
  const entries = await models.ledger.find({
    partnerId,
    mode: { $in: modes },
    reference: { $in: traces.map(({ reference }) => reference) },
  });
  return new Map(entries.map((entry) => [keyOf(entry), entry]));
}

/**
 * Whether an operation that was never completed took effect, so that only its outcome is missing.
 */
export async function hasEffect(
  { models }: Pick<AuditDeps, 'models'>,
  { action, partnerId, targetId, actorId, details, at }: AuditEntryDoc,
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
  if (action === 'reward.reinstate') {
    const reward = await models.rewards.findOne({ partnerId, _id: targetId });
    return reward?.moves.some((made) => made.move === 'REINSTATE' && made.at >= at) ?? false;
  }
  if (action === 'reward.correct-contact') {
    const reward = await models.rewards.findOne({ partnerId, _id: targetId });
    return reward?.correction !== undefined && reward.customerId === details.customerId;
  }
  if (action === 'reward.let-pass') {
    const wallet = await models.wallets.findOne({ partnerId, passed: targetId });
    return wallet !== null;
  }
  const made = movesOfDeeds[action];
  if (made !== undefined) {
    const reward = await models.rewards.findOne({ partnerId, _id: targetId });
    return reward?.moves.some(({ move }) => move === made) ?? false;
  }
  if (!isMoving(action)) return false;
  const { mode, reference, account, amount } = traces[action](targetId, details);
  const entry = await findEntry(models, { partnerId, mode }, reference);
  return amountIn(entry, account) === amount;
}

/** The moves of operations that make one, once for each reward. */
const movesOfDeeds: Partial<Record<string, RewardMove>> = {
  'reward.end-hold': 'MATURE',
  'test-clock.claim': 'CLAIM',
  'test-clock.expire': 'EXPIRE',
  'test-clock.mature': 'MATURE',
};

/** Operations that may have moved money: not those that failed. */
const behind = { status: { $ne: 'FAILED' } } as const;

const operatorsMove = {
  words: ['topUp', 'withdraw', 'correct', 'redeem', 'payment', 'reversal', 'creditNote'],
  kinds: [
    'TOP_UP',
    'WITHDRAWAL',
    'CORRECTION',
    'REDEEM',
    'PAYMENT',
    'PAYMENT_REVERSAL',
    'CREDIT_NOTE',
  ],
};
/** A reward is reserved anew once it is reinstated. */
const reservedAnew = /^reserve:.+:\d+$/;
/** A partner's redemption is named by its id, which no operator's reference begins like. */
const isPartners = ({ reference }: EntryDoc): boolean => reference.startsWith('redeem:red_');
const operatorsUphold = { words: ['clawback'], kinds: ['CLAWBACK', 'WRITE_OFF'] };

/** By its reference or its kind, so that forging one of them is not enough. */
function isOneOf({ reference, kind }: EntryDoc, { words, kinds }: typeof operatorsMove): boolean {
  return words.includes(reference.split(':')[0] ?? '') || kinds.includes(kind);
}

/** The reverse check: every entry that only operators can make has its operation. */
export const hasOperation = (chainName: string, mode: Mode): DocCheck<EntryDoc> => ({
  name: `${chainName}: what operators moved is in the audit log`,
  async problemsOf(deps, partnerId, entries) {
    const moved = entries.filter((entry) => isOneOf(entry, operatorsMove) && !isPartners(entry));
    const clawedBack = entries.filter((entry) => isOneOf(entry, operatorsUphold));
    const reserved = entries.filter(({ reference }) => reservedAnew.test(reference));
    const [explained, upheld, reinstated] = await Promise.all([
      operationsOf(deps, partnerId, mode, moved),
      upheldEntries(deps, partnerId, clawedBack),
      reinstatedRewards(deps, partnerId, reserved),
    ]);
    const isExplained = (entry: EntryDoc): boolean =>
      (explained.get(keyOf(entry)) ?? []).some(
        ({ account, amount }) => amountIn(entry, account) === amount,
      );
    return [
      ...moved.filter((entry) => !isExplained(entry)),
      ...clawedBack.filter(({ _id }) => !upheld.has(_id)),
      ...reserved.filter(({ rewardId }) => !reinstated.has(rewardId)),
    ].map((doc) => ({
      doc,
      text: `${doc._id} (${doc.reference}), partner ${partnerId}: no operation of an operator is behind it`,
    }));
  },
});

/** The amounts of operations, by the mode and reference of their entry. */
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
      $or: [
        { 'details.reference': { $in: entries.map(operatorsReference) } },
        { targetId: { $in: entries.flatMap(invoiceOf) } },
      ],
      action: { $in: movingOperations },
      ...behind,
    })
    .lean<MovingOperationDoc[]>();
  const told = operations.map(traceOf).filter((trace) => trace.mode === mode);
  return Map.groupBy(told, keyOf);
}

/** The invoice that an entry is about. */
const invoiceOf = ({ reference }: EntryDoc): string[] =>
  /^(?:payment|reversal|creditNote):(inv_[^:]+)/.exec(reference)?.slice(1) ?? [];

/** The reference that the operator gave: what follows the prefix. */
const operatorsReference = ({ reference }: EntryDoc): string =>
  reference.slice(reference.indexOf(':') + 1);

/** The entries, by their ids, of reviews that were upheld by an operation in the audit log, or by a policy. */
async function upheldEntries(
  { models }: AuditDeps,
  partnerId: string,
  entries: readonly EntryDoc[],
): Promise<Set<string>> {
  if (entries.length === 0) return new Set();
  const rewardIds = entries.flatMap(({ rewardId }) => rewardId ?? []);
  const rewards = await models.rewards.find({ partnerId, _id: { $in: rewardIds } });
  const rewardOf = new Map(rewards.map((reward) => [reward._id, reward]));
  const moveOf = (entry: EntryDoc) => moveBehind(entry, rewardOf.get(entry.rewardId ?? ''));
  const reviewOf = (entry: EntryDoc) => moveOf(entry)?.reviewId;
  const operations = await models.auditEntries.find({
    partnerId,
    targetId: { $in: entries.flatMap((entry) => reviewOf(entry) ?? []) },
    action: 'review.decide',
    'details.decision': 'UPHOLD',
    ...behind,
  });
  const upheld = new Set(operations.map(({ targetId }) => targetId));
  return new Set(
    entries
      // Another check proves that what a policy decided fits it.
      .filter((entry) => moveOf(entry)?.policyId !== undefined || upheld.has(reviewOf(entry) ?? ''))
      .map(({ _id }) => _id),
  );
}

/** The rewards of entries that an operation in the audit log reinstated. */
async function reinstatedRewards(
  { models }: AuditDeps,
  partnerId: string,
  entries: readonly EntryDoc[],
): Promise<Set<string | null>> {
  if (entries.length === 0) return new Set();
  const targetId = { $in: entries.map(({ rewardId }) => rewardId) };
  const made = { partnerId, targetId, action: 'reward.reinstate', ...behind };
  const operations = await models.auditEntries.find(made);
  return new Set(operations.map((one) => one.targetId));
}

/** The move that decided the review whose decision an entry carried out. */
function moveBehind({ reference }: EntryDoc, reward: RewardDoc | undefined): MadeMove | undefined {
  return reward?.moves.find(({ move }, index) =>
    move === 'UPHOLD'
      ? reference === references.clawback(entryNameOf(reward))
      : reference === references.reduction(reward._id, index + 1),
  );
}
