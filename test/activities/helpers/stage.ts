import { randomUUID } from 'node:crypto';
import { type Mode, modes } from '../../../domain/mode.ts';
import type { PurchaseRef, PurchaseReport } from '../../../domain/purchase.ts';
import type { RefundRequest } from '../../../domain/refund.ts';
import type { Origin } from '../../../domain/request.ts';
import type { RewardSnapshot } from '../../../domain/reward.ts';
import { walletOf } from '../../../domain/wallet.ts';
import type { Message } from '../../../messaging/message.ts';
import type { EarningRuleDoc } from '../../../models/schemas/earning-rule.ts';
import type { Models } from '../../../models/schemas/index.ts';
import { sealUnderNewKey } from '../../../models/store/data-keys.ts';
import { redeem } from '../../../operations/customers/redeem.ts';
import { createPartner } from '../../../operations/partners/create.ts';
import { topUpWallet } from '../../../operations/wallets/top-up-wallet.ts';
import { operate } from '../../helpers/operate.ts';
import {
  type Activities,
  asActivity,
  type Database,
  type Process,
  startProcess,
} from '../../helpers/processes.ts';

/** When everything happens, so that nothing depends on the clock. */
export const at = '2026-03-10T09:00:00.000Z';
const now = () => Date.parse(at);

/** What is asked with a refund. */
export interface RefundReport {
  origin: Origin;
  request: RefundRequest;
}

export type Stage = Awaited<ReturnType<typeof openStage>>;

/** A partner of its own, whose every id is known, for one scenario in which activities are called. */
export async function openStage(database: Database) {
  const { models, sealer } = database;
  const partner = await operate({ models, now }, createPartner, {
    name: 'Shop',
    contactEmail: 'owner@shop.example',
    lowBalanceThresholdCents: 500,
  });
  const partnerId = partner._id;
  const verifiedContactEmail = partner.contactEmail;
  await models.partners.updateOne({ _id: partnerId }, { $set: { verifiedContactEmail } });
  const tag = randomUUID().slice(0, 8);
  // Each mode has an endpoint, so that what its webhooks tell is held to be the same as well.
  await models.webhookEndpoints.create(
    modes.map((mode) => ({
      ...{ _id: `whe_${tag}${mode}`, partnerId, mode, slot: 0, url: 'https://shop.example/' },
      ...{ eventTypes: ['*'], secrets: [], status: 'ACTIVE' as const },
      ...{ createdAt: new Date(0), updatedAt: new Date(0) },
    })),
  );
  const told = new Set<string>();
  const mails = new Set<string>();
  const tell = (message: unknown) => told.add(JSON.stringify(message));
  const newProcess = (): Process =>
    startProcess(
      database,
      {
        wakeWallet: async ({ mode }) => void tell(['wakeWallet', mode]),
        signalPurchase: async ({ purchaseEventId }, signal) => void tell([signal, purchaseEventId]),
        completeReview: async () => true,
        startJob: async () => undefined,
        startPointsLink: async () => undefined,
        startPurchase: async ({ purchaseEventId }) => void tell(['startPurchase', purchaseEventId]),
      },
      async (mail: Message) => void mails.add(JSON.stringify({ ...mail, dataKeyId: '*' })),
    );
  const process = newProcess();
  let orders = 0;

  const rule = async (changes: Partial<EarningRuleDoc> = {}): Promise<string> => {
    const { _id = `rul_${tag}${changes.mode ?? 'LIVE'}` } = changes;
    await models.earningRules.create({
      ...{ _id, partnerId, mode: 'LIVE', integrationId: null, currency: 'USD' },
      ...{ kind: 'PER_AMOUNT', points: 10, unitCents: 100, minimumOrderCents: 0, multiplier: 1 },
      ...{ campaign: null, capPerOrderPoints: null, capPerCustomerDayPoints: null },
      ...{ claimWindow: 'P30D', pointValueMicros: 10_000, createdAt: new Date(at) },
      ...changes,
    });
    return _id;
  };

  const origin = (mode: Mode, name: string) => ({
    ...{ partnerId, mode, integrationId: `int_${tag}`, credentialId: `key_${tag}` },
    ...{ requestId: `req_${tag}${name}`, idempotencyKeyHash: `${tag} key ${name}` },
    ...{ payloadHash: `${tag} payload ${name}`, receivedAt: at, address: '192.0.2.1' },
    ...{ workflowId: `workflow ${tag}`, request: { method: 'POST', path: '/events', status: 201 } },
  });

  const call = <T>(work: (activities: Activities, process: Process) => Promise<T>): Promise<T> =>
    asActivity(`workflow ${tag}`, () => work(process.activities, process));

  return {
    partnerId,
    told,
    mails,
    newProcess,
    rule,
    /** Calls an activity that nothing disturbs. */
    call,
    /** What a face does in a process that nothing disturbs. */
    process,
    wallet: (mode: Mode = 'LIVE') => walletOf({ partnerId, mode, integrationId: `int_${tag}` }),

    /** Records a purchase as the API does. @returns its reference */
    async report(
      report: PurchaseReport,
      { on = process, ruleId = `rul_${tag}${report.mode}` }: { on?: Process; ruleId?: string } = {},
    ): Promise<PurchaseRef> {
      const recording = await on.record(report, ruleId);
      if ('answer' in recording) throw new Error(JSON.stringify(recording.answer));
      return { partnerId, purchaseEventId: report.eventId };
    },

    /** Runs an activity in a process, as the stage's workflow. */
    perform: <T>(
      on: Process,
      work: (activities: Activities, process: Process) => Promise<T>,
    ): Promise<T> => asActivity(`workflow ${tag}`, () => work(on.activities, on)),

    async fund(amountCents: number, mode: Mode = 'LIVE'): Promise<void> {
      const { ledger } = process;
      const wallet = walletOf({ partnerId, mode, integrationId: `int_${tag}` });
      const money = { amountCents, externalReference: `wire ${amountCents}` };
      await topUpWallet({ ledger, now }, wallet, money);
    },

    async spend(
      { customerId }: Pick<RewardSnapshot, 'customerId'>,
      points: number,
      reference = 'till',
    ): Promise<void> {
      const { ledger } = process;
      const customer = { partnerId, customerId };
      await operate({ models, ledger, now }, redeem, { ...customer, points, reference });
    },

    /** The next order: 10.00, 100 points, 1.00 of cost. */
    purchase(mode: Mode = 'LIVE'): PurchaseReport {
      orders += 1;
      const name = String(orders);
      const eventId = `evt_${tag}${name}`;
      const secret = { email: 'a@b.co', phone: null, claimToken: `token ${name}`, metadata: null };
      return {
        ...origin(mode, name),
        ...{ eventId, rewardId: `PNR_${tag}${name}`, externalOrderId: `order ${name}` },
        ...{ subtotalCents: 1_000, currency: 'USD', occurredAt: null },
        ...{
          customerId: `cus_${tag}`,
          delivery: 'SERVICE',
          claimTokenHash: `${tag} token ${name}`,
        },
        ...sealUnderNewKey(sealer, JSON.stringify(secret), eventId),
      };
    },

    /** A refund as the API gets it. */
    refund({ mode, externalOrderId }: RewardSnapshot, name = 'refund'): RefundReport {
      const { workflowId: _workflow, ...rest } = origin(mode, name);
      return { origin: rest, request: { externalOrderId, externalRefundId: name } };
    },

    /** Everything that is stored of the partner, without what is different each time. */
    async stored(): Promise<string[]> {
      const found = models.rewards.collection.aggregate(everythingOf(models, partnerId));
      const docs = await found.toArray();
      return docs.map((doc) => this.plain(doc)).toSorted();
    },

    /** A value as text in which the names of this stage are those of any other. */
    plain(value: unknown): string {
      const text = JSON.stringify(value, (key, inner) =>
        isRandom(key, inner) ? '*' : inOrder(inner),
      );
      return (text ?? '')
        .replaceAll(partnerId, 'PARTNER')
        .replaceAll(tag, 'TAG')
        .replaceAll(/\b(evt|rev|whk|whd)_[0-9A-HJKMNP-TV-Z]{26}/g, '$1_*');
    },
  };
}

/** Asks every collection for what it has of a partner, in one command. */
function everythingOf({ connection }: Models, partnerId: string): object[] {
  const of = [{ $match: { partnerId } }];
  const collections = Object.values(connection.models).map((model) => model.collection.name);
  return [
    { $match: { _id: null } },
    ...collections.map((coll) => ({
      $unionWith: { coll, pipeline: [...of, { $set: { isIn: coll, ...untimed(coll) } }] },
    })),
  ];
}

/** When a delivery went into the outbox is the clock's. */
const untimed = (collection: string) =>
  collection === 'webhook_deliveries' ? { createdAt: null, nextTryAt: null } : {};

/** Ids that are made up when something is written, hashes over them, what is sealed, and its keys. */
function isRandom(key: string, value: unknown): boolean {
  const ofThis = ['hash', 'previousHash', 'sealed', 'wrapped', 'dataKeyId'];
  if (ofThis.includes(key)) return value !== '';
  return key === '_id' && /^(txn|use|iev|act|dek)_/.test(String(value));
}

/** The fields of an object are in no order. */
function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const fields = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(fields);
}
