import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import { type Checkpoint, createCheckpoints } from '../../../audit/checkpoints.ts';
import type { RunOptions } from '../../../audit/run.ts';
import { runAudit } from '../../../audit/run.ts';
import type { Draft } from '../../../domain/draft.ts';
import {
  begin,
  cancel,
  claim,
  correctContact,
  expire,
  leaveToPolicy,
  mature,
  recordDecision,
  recordTopUp,
  references,
  refund,
  reinstate,
  type Terms,
  upholdByPolicy,
} from '../../../domain/facts.ts';
import type { Mode } from '../../../domain/mode.ts';
import { setPointsEnd } from '../../../domain/points-end-facts.ts';
import { type Posting, type WalletRef, walletIdOf } from '../../../domain/postings.ts';
import type { AskedPart, RedemptionAction } from '../../../domain/redemption.ts';
import { act, recordRedemption } from '../../../domain/redemption-facts.ts';
import { worthBefore } from '../../../domain/refunds.ts';
import { policyDecision, reviewIdOf } from '../../../domain/review.ts';
import type { Reward, RewardSnapshot } from '../../../domain/reward.ts';
import { type CountedBudget, spendBudget } from '../../../domain/rule-budgets.ts';
import { closePeriodsOf } from '../../../models/billing/periods.ts';
import { createCommit } from '../../../models/commit.ts';
import { entryHash, findEntry, ledgerKey, readWallet } from '../../../models/ledger/index.ts';
import { rewardOf } from '../../../models/rewards/create.ts';
import { toSnapshot } from '../../../models/rewards/snapshot.ts';
import type { AuditEntryDoc, AuditRunDoc } from '../../../models/schemas/audit.ts';
import type { InvoiceDoc } from '../../../models/schemas/billing.ts';
import type { EntryDoc } from '../../../models/schemas/entries.ts';
import type { OrderEventDoc } from '../../../models/schemas/events.ts';
import type { RewardDoc } from '../../../models/schemas/rewards.ts';
import { partnerDefaults } from '../../../operations/partners.ts';
import { createPlanVersion, publishPlanVersion } from '../../../operations/plans.ts';
import { subscribe } from '../../../operations/subscriptions.ts';
import { newId } from '../../../platform/ids.ts';
import { aRedemption, noLimits, redeemAt } from '../../helpers/a-redemption.ts';
import { smallPlan } from '../../helpers/billing.ts';
import { aRule, perAmount } from '../../helpers/earning-rules.ts';
import { approved } from '../../helpers/live-partner.ts';
import { operate } from '../../helpers/operate.ts';
import { patienceMs } from '../../helpers/patience.ts';
import { takeDatabase } from '../../helpers/test-database.ts';
import { topUpEntry } from '../../helpers/top-up-entry.ts';

export type AuditDatabase = Awaited<ReturnType<typeof openAuditDatabase>>;
export type TestPartner = ReturnType<AuditDatabase['partner']>;

/** A move that follows the beginning of a purchase. */
/** A PART is a refund of a tenth of the order. */
export type LaterMove =
  | 'CLAIM'
  | 'EXPIRE'
  | 'CANCEL'
  | 'REFUND'
  | 'PART'
  | 'REINSTATE'
  | 'CORRECT'
  | 'MATURE'
  | 'UPHOLD'
  | 'DISMISS';

const orderCents = 1_000;

/** Opens an empty database for one test file, in which each test creates its own partner to audit. */
export async function openAuditDatabase() {
  const { models, uri, giveBack } = await takeDatabase();
  const customerHashKey = createSecretKey(randomBytes(32));
  const hashKey = ledgerKey(customerHashKey);
  const commit = createCommit({ patienceMs, models, hashKey, now: Date.now });
  const logged: Checkpoint[] = [];
  const checkpoints = createCheckpoints(
    customerHashKey,
    async (fresh) => void logged.push(...fresh),
  );

  return {
    models,
    commit,
    hashKey,
    customerHashKey,
    /** The checkpoints that audits logged outside the database. */
    logged,
    uri,
    /** Audits all partners. */
    audit: () => runAudit({ models, hashKey, checkpoints }, { patienceMs: 0 }),
    close: giveBack,
    partner: () => createTestPartner(),
  };

  function createTestPartner() {
    const partnerId = newId('partner');
    const integrationId = newId('integration');
    const walletIn = (mode: Mode): WalletRef => ({ partnerId, mode });

    let stored: Promise<unknown> | undefined;
    /** Stores the partner, once. */
    const ensurePartner = async () => {
      stored ??= models.partners.create({
        ...partnerDefaults,
        _id: partnerId,
        goLive: approved,
        name: 'Shop',
        createdAt: new Date(),
      });
      await stored;
    };

    /** Commits a fact about the wallet of a mode. */
    const commitTo = async <Outcome>(
      mode: Mode,
      about: {
        rewards?: readonly string[];
        customers?: readonly string[];
        redemptions?: readonly string[];
      },
      decide: (draft: Draft, terms: Terms) => Outcome,
    ): Promise<Outcome> => {
      await ensurePartner();
      const { rewards = [], customers = [], redemptions = [] } = about;
      const wallet = walletIn(mode);
      return await commit({
        partnerId,
        wallet,
        rewardIds: rewards,
        customerIds: customers,
        redemptionIds: redemptions,
        decide,
      });
    };

    const entry = async (reference: string, mode: Mode = 'LIVE'): Promise<EntryDoc> => {
      const found = await findEntry(models, walletIn(mode), reference);
      if (!found) throw new Error(`there is no ${reference}`);
      return found;
    };

    /** Appends an entry as the service would, of whatever content. */
    const append = async (
      reference: string,
      kind: string,
      postings: Posting[],
      { mode = 'LIVE', rewardId = null }: { mode?: Mode; rewardId?: string | null } = {},
    ): Promise<EntryDoc> => {
      const customers = postings.flatMap(({ account }) => account.split(':')[1] ?? []);
      await commitTo(mode, { customers }, (draft) =>
        draft.post(kind, reference, rewardId, postings),
      );
      return await entry(reference, mode);
    };

    /** Writes an audit entry of an operator's operation. */
    const operation = async (
      action: string,
      targetId: string,
      details: Record<string, unknown>,
      changes: Partial<AuditEntryDoc> = {},
    ): Promise<AuditEntryDoc> => {
      const made: AuditEntryDoc = {
        _id: newId('audit'),
        actorId: 'opr_1',
        approvedBy: null,
        requestId: 'req_1',
        action,
        partnerId,
        targetId,
        details,
        once: null,
        status: 'DONE',
        at: new Date(),
        completedAt: new Date(),
        ...changes,
      };
      await models.auditEntries.create(made);
      return made;
    };

    const readReward = async (rewardId: string): Promise<RewardDoc> =>
      await models.rewards.findOne({ partnerId, _id: rewardId }).orFail();

    /** Records a purchase whose reward costs one cent per point, and which has not begun. */
    const report = async (
      points: number,
      mode: Mode = 'LIVE',
      holdDays = 0,
      budget?: CountedBudget,
    ): Promise<OrderEventDoc> => {
      await ensurePartner();
      const event = anEvent({ partnerId, integrationId, mode, points, holdDays, budget });
      await models.orderEvents.create(event);
      return event;
    };

    return {
      partnerId,
      integrationId,
      append,
      entry,
      operation,
      report,

      async topUp(
        amountCents: number,
        mode: Mode = 'LIVE',
        reference: string = randomUUID(),
      ): Promise<EntryDoc> {
        const wallet = walletIn(mode);
        await models.auditEntries.create(topUpEntry(wallet, { reference, amountCents }));
        const money = { amountCents, externalReference: reference };
        await commitTo(mode, {}, (draft, terms) => recordTopUp(draft, wallet, money, terms));
        return await entry(references.topUp(reference), mode);
      },

      /** Points end a year after the newest activity from now on. */
      async letPointsEnd(mode: Mode): Promise<void> {
        const setting = { settingId: newId('pointsEnd'), after: 'P12M', mode } as const;
        await commitTo(mode, {}, (draft, terms) => setPointsEnd(draft, setting, terms));
      },

      /** Records a purchase and begins it: funded if the wallet has its money, otherwise waiting. */
      async purchase(
        points: number,
        mode: Mode = 'LIVE',
        holdDays = 0,
        budget?: CountedBudget,
      ): Promise<RewardSnapshot> {
        const made = rewardOf(await report(points, mode, holdDays, budget));
        const reward = await commitTo(mode, { rewards: [made._id] }, (draft, terms) => {
          spendBudget(draft, made, terms.at);
          return begin(draft, made, terms);
        });
        return toSnapshot(reward);
      },

      /** Makes moves of the state table, each with all that it means. */
      async move(
        { rewardId, mode }: RewardSnapshot,
        ...moves: LaterMove[]
      ): Promise<RewardSnapshot> {
        for (const move of moves) {
          const { review, customerId } = await readReward(rewardId);
          if (move === 'UPHOLD') {
            await operation('review.decide', review?.reviewId ?? '', { decision: move });
          }
          if (move === 'REINSTATE') {
            const details = { reference: randomUUID(), mode };
            await operation('reward.reinstate', rewardId, details, { isAlone: true });
          }
          if (move === 'CORRECT') {
            const details = { mode, customerId: correctedTo(customerId) };
            await operation('reward.correct-contact', rewardId, details, { isAlone: true });
          }
          const about = { rewards: [rewardId], customers: [customerId] };
          await commitTo(mode, about, (draft, terms) => makeMove(draft, rewardId, move, terms));
        }
        return toSnapshot(await readReward(rewardId));
      },

      /** A policy that upholds refunds of up to 200 cents at once, in force for a minute. @returns its id */
      async policy(): Promise<string> {
        const activatedAt = new Date(Date.now() - 60_000);
        const terms = { maxCents: 200, perCustomer: null, withinDays: null, graceHours: 1 };
        const _id = newId('policy');
        const of = { partnerId, mode: 'LIVE' } as const;
        await models.refundPolicies.create({ ...of, ...terms, _id, createdAt: activatedAt });
        const activation = { ...of, _id: newId('activation'), seq: 1, policyId: _id, activatedAt };
        await models.policyActivations.create(activation);
        return _id;
      },

      /** Leaves the review of a reward to a policy, which upholds it at once. */
      async upholdByPolicy({ rewardId, mode }: RewardSnapshot, policyId: string): Promise<void> {
        const { review, customerId, points, liabilityCents, ...reward } =
          await readReward(rewardId);
        const reviewId = review?.reviewId ?? '';
        const upholdsAt = new Date(Date.now() - 1);
        const conditions = [
          { condition: 'HAS_POINTS', limit: points, value: points, isMet: true },
          { condition: 'MAX_CENTS', limit: 200, value: liabilityCents, isMet: true },
        ] as const;
        await models.reviews.create({
          _id: reviewId,
          partnerId,
          mode,
          rewardId,
          refundEventId: 'evt_refund',
          externalOrderId: reward.externalOrderId,
          amountCents: orderCents,
          points,
          liabilityCents,
          workflowId: reward.workflowId,
          status: 'DECIDED',
          openedAt: new Date(),
          dueAt: new Date(),
          rounds: 1,
          decision: policyDecision(policyId, new Date()),
          policy: { policyId, customerId, upholdsAt, conditions: [...conditions] },
        });
        const about = { rewards: [rewardId], customers: [customerId] };
        await commitTo(mode, about, (draft, terms) => {
          const held = draft.rewards.get(rewardId);
          if (held === undefined) throw new Error(`there is no ${rewardId}`);
          const left = leaveToPolicy(draft, held, { policyId, upholdsAt });
          return upholdByPolicy(draft, left, terms);
        });
      },

      /** Subscribes to a plan: 10.00 a month for 1,000 points, 0.01 for each additional one. */
      async subscribe(): Promise<void> {
        const now = Date.now;
        const { _id } = await operate({ models, now }, createPlanVersion, smallPlan);
        await operate({ models, now }, publishPlanVersion, { planVersionId: _id });
        await ensurePartner();
        await operate({ models, now }, subscribe, {
          partnerId,
          planVersionId: _id,
          interval: 'MONTH',
        });
      },

      /** Bills the current period as if it were over. @returns its invoice */
      async bill(): Promise<InvoiceDoc> {
        const subscription = await models.subscriptions.findOne({ partnerId }).orFail();
        await closePeriodsOf({ models, commit }, subscription, subscription.currentPeriodEnd);
        return await models.invoices.findOne({ partnerId }).sort({ seq: -1 }).orFail();
      },

      async redeem({ customerId }: RewardSnapshot, points: number): Promise<void> {
        const reference = randomUUID();
        await operation('customer.redeem', customerId, { points, reference });
        await commitTo('LIVE', { customers: [customerId] }, (draft, terms) =>
          redeemAt(draft, { partnerId, customerId }, { points, reference }, terms),
        );
      },

      /** A partner's hold of points, and what follows. @returns the redemption's id */
      async hold(
        { customerId, mode }: RewardSnapshot,
        points: number,
        ...actions: (RedemptionAction | AskedPart)[]
      ): Promise<string> {
        const _id = newId('redemption');
        const about = { customers: [customerId] };
        const made = { partnerId, customerId, mode, integrationId, _id, externalRedemptionId: _id };
        await commitTo(mode, about, (draft, terms) =>
          recordRedemption(
            draft,
            aRedemption({ ...made, asked: { points }, isHeld: true }),
            terms,
            noLimits,
          ),
        );
        for (const action of actions) {
          await commitTo(mode, { ...about, redemptions: [_id] }, (draft, terms) => {
            const held = draft.redemptions.get(_id);
            if (!held) return undefined;
            return typeof action === 'string'
              ? act(draft, held, action, terms)
              : act(draft, held, 'REVERSE', terms, action);
          });
        }
        return _id;
      },

      /** Changes a stored transaction, as anyone with access to the database can. */
      async tamper(
        reference: string,
        change: (postings: EntryDoc['postings']) => void,
      ): Promise<EntryDoc> {
        const before = await entry(reference);
        const { postings } = structuredClone(before);
        change(postings);
        await models.ledger.updateOne({ _id: before._id }, { $set: { postings } });
        return before;
      },

      /**
       * Inserts a transaction and changes the wallet to match, without any of the ledger's checks.
       * @param withKey whether the forger has the hash key
       */
      async forge(
        { rewardId = null, ...of }: { reference: string; kind: string; rewardId?: string | null },
        postings: Posting[],
        { withKey = false } = {},
      ): Promise<EntryDoc> {
        const wallet = walletIn('LIVE');
        const held = await readWallet(models, wallet);
        const balances = { ...held?.balances };
        for (const { account, amount } of postings) {
          balances[account] = (balances[account] ?? 0) + amount;
        }
        const content: Omit<EntryDoc, 'hash'> = {
          _id: newId('transaction'),
          partnerId,
          mode: wallet.mode,
          seq: (held?.seq ?? 0) + 1,
          rewardId,
          at: new Date(),
          ...of,
          postings: postings.map((posting) => ({
            ...posting,
            balanceAfter: balances[posting.account] ?? 0,
          })),
          previousHash: held?.hash ?? '',
        };
        const key = withKey ? hashKey : createSecretKey(randomBytes(32));
        const forged = { ...content, hash: entryHash(key, content) };
        await models.ledger.create(forged);
        const { seq, hash } = forged;
        await models.wallets.collection.updateOne(
          { _id: walletIdOf(wallet) as never },
          { $set: { balances, seq, hash }, $setOnInsert: { partnerId, mode: 'LIVE', rewards: {} } },
          { upsert: true },
        );
        return forged;
      },

      /** Deletes a transaction that is not the newest, or the newest and its traces in the wallet. */
      async hide(
        { _id, seq, previousHash, postings }: EntryDoc,
        mode: Mode = 'LIVE',
      ): Promise<void> {
        await models.ledger.deleteOne({ _id });
        const wallet = await readWallet(models, walletIn(mode));
        if (wallet?.seq !== seq) return;
        const balances = { ...wallet.balances };
        for (const { account, amount, balanceAfter } of postings) {
          if (account in balances) balances[account] = balanceAfter - amount;
          const customerId = /^(?:payable|points):(.+)$/.exec(account)?.[1];
          if (customerId !== undefined) {
            const field = account.startsWith('points') ? 'points' : 'payableCents';
            await models.customerBalances.updateOne(
              { partnerId, mode, customerId },
              { $inc: { [field]: 0 - amount } },
            );
          }
        }
        await models.wallets.updateOne(
          { _id: wallet._id },
          { $set: { seq: seq - 1, hash: previousHash, balances } },
        );
      },

      audit: (options: RunOptions = {}): Promise<AuditRunDoc> =>
        runAudit({ models, hashKey, checkpoints }, { partnerId, patienceMs: 0, ...options }),
    };
  }
}

/** The customer whose reward it is after its contact was corrected. */
const correctedTo = (customerId: string): string => `${customerId.slice(0, -1)}_`;

function makeMove(draft: Draft, rewardId: string, move: LaterMove, terms: Terms): Reward {
  const reward = draft.rewards.get(rewardId);
  if (reward === undefined) throw new Error(`there is no ${rewardId}`);
  switch (move) {
    case 'CLAIM':
      return claim(draft, reward, terms, undefined);
    case 'EXPIRE':
      return expire(draft, reward, terms, true);
    case 'CANCEL':
      return cancel(draft, reward, terms, {
        operatorId: 'opr_1',
        cancelledAt: terms.at.toISOString(),
        sealedReason: 'sealed',
      });
    case 'CORRECT': {
      const to = correctedTo(reward.customerId);
      const { claimTokenHash } = reward;
      return correctContact(draft, reward, terms, {
        customerId: to,
        claimTokenHash,
        sealedContact: 'sealed',
      });
    }
    case 'MATURE':
      return mature(draft, reward, terms, true);
    case 'REINSTATE':
      return reinstate(draft, reward, terms);
    case 'PART':
    case 'REFUND': {
      const refundEventId = newId('event');
      const review = {
        reviewId: reviewIdOf(refundEventId),
        openedAt: terms.at.toISOString(),
        dueMs: 1,
      };
      const rule = aRule({}, perAmount(worthBefore(reward, 1).points, orderCents));
      const part = move === 'PART' ? { amountCents: orderCents / 10, rule } : undefined;
      return refund(draft, reward, terms, { refundEventId, review, part });
    }
    default: {
      const reviewId = reward.review?.reviewId ?? '';
      return recordDecision(draft, reward, terms, { reviewId, verdict: move });
    }
  }
}

function anEvent(of: {
  partnerId: string;
  integrationId: string;
  mode: Mode;
  points: number;
  holdDays: number;
  budget: CountedBudget | undefined;
}): OrderEventDoc {
  const { points, holdDays, budget, ...owner } = of;
  const eventId = newId('event');
  return {
    ...owner,
    _id: eventId,
    credentialId: 'key_test',
    requestId: newId('request'),
    idempotencyKeyHash: randomUUID(),
    payloadHash: randomUUID(),
    type: 'PURCHASE',
    externalOrderId: randomUUID(),
    receivedAt: new Date(),
    occurredAt: null,
    sealed: 'sealed',
    rewardId: newId('reward'),
    purchaseEventId: eventId,
    workflowId: `purchase/${eventId}`,
    request: { method: 'POST', path: '/purchases', status: 201 },
    answer: '{}',
    due: null,
    purchase: {
      currency: 'USD',
      customerId: `cus_${randomUUID()}`,
      delivery: 'SERVICE',
      claimTokenHash: randomUUID(),
      claimExpiresAt: new Date(Date.now() + (1 + holdDays) * 86_400_000),
      ...(holdDays > 0 && { claimableFrom: new Date(Date.now() + holdDays * 86_400_000) }),
      arithmetic: {
        ruleId: 'rul_1',
        kind: 'PER_AMOUNT',
        subtotalCents: orderCents,
        refundedCents: 0,
        basePoints: points,
        multiplier: 1,
        uncappedPoints: points,
        capPerOrderPoints: null,
        customerDayLeftPoints: null,
        points,
        explanation: '',
      },
      liabilityCents: points,
      customerDay: null,
      ...(budget && { budget }),
      claimWindow: 'P30D',
    },
    externalRefundId: null,
  };
}
