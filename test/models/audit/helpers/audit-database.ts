import { createHmac, createSecretKey, hkdfSync, randomBytes, randomUUID } from 'node:crypto';
import { createCarryOut } from '../../../../activities/carry-out.ts';
import type { Mode } from '../../../../domain/mode.ts';
import {
  accountsOf,
  liveAccounts,
  type Posting,
  redeem,
  topUp,
  walletOf,
} from '../../../../domain/postings.ts';
import type { RewardMove, RewardSnapshot } from '../../../../domain/reward.ts';
import { type Checkpoint, createCheckpoints } from '../../../../models/audit/checkpoints.ts';
import type { RunOptions } from '../../../../models/audit/run.ts';
import { runAudit } from '../../../../models/audit/run.ts';
import { createUsage } from '../../../../models/billing/index.ts';
import { closePeriodsOf } from '../../../../models/billing/periods.ts';
import {
  createLedger,
  isFundedFrom,
  references,
  reserveInOrder,
} from '../../../../models/ledger/index.ts';
import { rewardOf } from '../../../../models/rewards/create.ts';
import { moveReward, readReward, toSnapshot } from '../../../../models/rewards/move.ts';
import type { AuditEntryDoc, AuditRunDoc } from '../../../../models/schemas/audit.ts';
import type { InvoiceDoc } from '../../../../models/schemas/billing.ts';
import type { ChainedPosting, EntryDoc } from '../../../../models/schemas/entries.ts';
import type { OrderEventDoc } from '../../../../models/schemas/events.ts';
import type { RewardDoc } from '../../../../models/schemas/rewards.ts';
import { insertOnce } from '../../../../models/store/insert-once.ts';
import { partnerDefaults } from '../../../../operations/partners.ts';
import { createPlanVersion, publishPlanVersion } from '../../../../operations/plans.ts';
import { subscribe } from '../../../../operations/subscriptions.ts';
import { newId } from '../../../../platform/ids.ts';
import { smallPlan } from '../../../helpers/billing.ts';
import { approved } from '../../../helpers/live-partner.ts';
import { maxRemembered } from '../../../helpers/max-remembered.ts';
import { operate } from '../../../helpers/operate.ts';
import { silentMessenger } from '../../../helpers/silent-messenger.ts';
import { takeDatabase } from '../../../helpers/test-database.ts';
import { topUpEntry } from '../../../helpers/top-up-entry.ts';

export type AuditDatabase = Awaited<ReturnType<typeof openAuditDatabase>>;
export type TestPartner = ReturnType<AuditDatabase['partner']>;

/** Opens an empty database for one test file, in which each test creates its own partner to audit. */
export async function openAuditDatabase() {
  const { models, uri, giveBack } = await takeDatabase();
  const key = createSecretKey(randomBytes(32));
  const ledger = createLedger(models, key, maxRemembered);
  const usage = createUsage(models, key, maxRemembered);
  const logged: Checkpoint[] = [];
  const checkpoints = createCheckpoints(key, async (fresh) => void logged.push(...fresh));
  const carryOut = createCarryOut({
    models,
    ledger,
    usage,
    messenger: silentMessenger,
    reviewDueMs: 1,
    announce: async () => undefined,
    batchOptions: { maxBatch: 100 },
  });
  const hashKey = Buffer.from(hkdfSync('sha256', key, '', 'ledger hash chain', 32));

  return {
    models,
    ledger,
    usage,
    customerHashKey: key,
    /** The checkpoints that audits logged outside the database. */
    logged,
    uri,
    /** Audits all partners. */
    audit: () => runAudit({ models, ledger, usage, checkpoints }, { patienceMs: 0 }),
    close: giveBack,
    partner: () => createTestPartner(),
  };

  function createTestPartner() {
    const partnerId = newId('partner');
    const integrationId = newId('integration');
    const at = () => new Date().toISOString();

    /** Stores the partner, unless it is stored already. */
    const ensurePartner = () =>
      insertOnce(() =>
        models.partners.create({
          ...partnerDefaults,
          _id: partnerId,
          goLive: approved,
          name: 'Shop',
          createdAt: new Date(),
        }),
      );

    const append = async (
      reference: string,
      kind: string,
      postings: Posting[],
      { mode = 'LIVE', rewardId = null }: { mode?: Mode; rewardId?: string | null } = {},
    ): Promise<EntryDoc> => {
      const outcome = await ledger.of(mode).append({
        partnerId,
        reference,
        rewardId,
        at: new Date(),
        accounts: postings.map(({ account }) => account),
        decide: () => ({ kind, postings }),
      });
      if (!('entry' in outcome) || !outcome.entry) throw new Error(`${reference} was not written`);
      return outcome.entry;
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

    const entry = async (reference: string, mode: Mode = 'LIVE'): Promise<EntryDoc> => {
      const found = await ledger.of(mode).find(partnerId, reference);
      if (!found) throw new Error(`there is no ${reference}`);
      return found;
    };

    return {
      partnerId,
      integrationId,
      append,
      entry,

      async usageEntry(reference: string): Promise<EntryDoc> {
        return await models.usageEntries.findOne({ partnerId, reference }).orFail();
      },

      operation,

      async topUp(
        amountCents: number,
        mode: Mode = 'LIVE',
        reference: string = randomUUID(),
      ): Promise<EntryDoc> {
        const wallet = walletOf({ partnerId, mode, integrationId });
        await models.auditEntries.create(topUpEntry(wallet, { reference, amountCents }));
        return await append(
          references.topUp(wallet, reference),
          'TOP_UP',
          topUp(accountsOf(wallet), amountCents),
          { mode },
        );
      },

      /** Stores a purchase event with its reward, which costs one cent per point. */
      async purchase(points: number, mode: Mode = 'LIVE'): Promise<RewardSnapshot> {
        await ensurePartner();
        const event = anEvent({ partnerId, integrationId, mode, points });
        const reward = rewardOf(event);
        await models.orderEvents.create(event);
        await models.rewards.create(reward);
        return toSnapshot(reward);
      },

      /** Makes moves of the state table, and moves the money with them. */
      async move(reward: RewardSnapshot, ...moves: RewardMove[]): Promise<RewardSnapshot> {
        const key = { partnerId, _id: reward.rewardId };
        for (const move of moves) {
          const before = await readReward(models, key);
          const opensReview = move === 'REFUND' && before.status === 'AVAILABLE';
          const review = { reviewId: `rev_${randomUUID()}`, openedAt: at(), dueMs: 1 };
          if (move === 'UPHOLD') {
            await operation('review.decide', before.review?.reviewId ?? '', { decision: move });
          }
          if (move === 'FUND' && (await isFundedFrom(ledger, walletOf(before)))) {
            const asking = [{ reward: toSnapshot(before), at: at() }];
            await reserveInOrder(ledger, before, asking, { isBehindOthers: false });
          }
          const also = opensReview ? { review } : {};
          const moved = await moveReward(models, before, { move, at: new Date(at()), also });
          if (moved === null) throw new Error(`${key._id} was moved meanwhile`);
          await carryOut(reward);
          await models.rewards.updateOne(key, { $unset: { pendingSince: 1 } });
        }
        return toSnapshot(await readReward(models, key));
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
        await closePeriodsOf(
          { models, ledger, usage },
          subscription,
          subscription.currentPeriodEnd,
        );
        return await models.invoices.findOne({ partnerId }).sort({ seq: -1 }).orFail();
      },

      async redeem(reward: RewardSnapshot, points: number): Promise<void> {
        const { payable, points: pointsOf } = liveAccounts;
        const accounts = [payable(reward.customerId), pointsOf?.customer(reward.customerId) ?? ''];
        const balances = new Map(
          await Promise.all(
            accounts.map(
              async (account) =>
                [account, await ledger.live.balanceOf(partnerId, account)] as const,
            ),
          ),
        );
        const postings = redeem(reward.customerId, points, (name) => balances.get(name) ?? 0);
        const reference = randomUUID();
        await operation('customer.redeem', reward.customerId, { points, reference });
        await append(`redeem:${reference}`, 'REDEEM', postings);
      },

      /** Changes a stored transaction, as anyone with access to the database can. */
      async tamper(
        reference: string,
        change: (postings: ChainedPosting[]) => void,
      ): Promise<EntryDoc> {
        const before = await entry(reference);
        const { postings } = structuredClone(before);
        change(postings);
        await models.ledger.updateOne({ _id: before._id }, { $set: { postings } });
        return before;
      },

      /** Inserts a transaction without any of the ledger's checks. @param withKey whether the forger has the hash key */
      async forge(
        { rewardId = null, ...of }: { reference: string; kind: string; rewardId?: string | null },
        postings: Posting[],
        withKey: boolean,
      ): Promise<EntryDoc> {
        const head = { _id: newId('transaction'), partnerId, rewardId, at: new Date(), ...of };
        const chained = await Promise.all(
          postings.map(async (posting) => {
            const newest = await ledger.live.head(partnerId, posting.account);
            const next = {
              ...posting,
              seq: (newest?.seq ?? 0) + 1,
              balanceAfter: (newest?.balanceAfter ?? 0) + posting.amount,
              previousHash: newest?.hash ?? '',
            };
            return { ...next, hash: hashOf(withKey ? hashKey : Buffer.from('guess'), head, next) };
          }),
        );
        const forged = { ...head, postings: chained };
        await models.ledger.create(forged);
        return forged;
      },

      audit: (options: RunOptions = {}): Promise<AuditRunDoc> =>
        runAudit({ models, ledger, usage, checkpoints }, { partnerId, patienceMs: 0, ...options }),
    };
  }
}

/** The hash of a posting, as models/ledger/chain.ts calculates it. */
function hashOf(
  key: Buffer,
  { _id, partnerId, reference, kind, rewardId, at }: Omit<EntryDoc, 'postings'>,
  { account, unit, amount, seq, balanceAfter, previousHash }: Omit<ChainedPosting, 'hash'>,
): string {
  const content = [_id, partnerId, reference, kind, rewardId, at.toISOString()];
  const place = [account, unit, amount, seq, balanceAfter, previousHash];
  return createHmac('sha256', key)
    .update(JSON.stringify([...content, ...place]))
    .digest('hex');
}

function anEvent(of: {
  partnerId: string;
  integrationId: string;
  mode: Mode;
  points: number;
}): OrderEventDoc {
  const { points, ...owner } = of;
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
    purchase: {
      currency: 'USD',
      customerId: `cus_${randomUUID()}`,
      delivery: 'SERVICE',
      claimTokenHash: randomUUID(),
      claimExpiresAt: new Date(Date.now() + 86_400_000),
      arithmetic: { points } as RewardDoc['arithmetic'],
      liabilityCents: points,
      customerDay: null,
    },
    externalRefundId: null,
  };
}
