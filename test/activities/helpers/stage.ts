import { randomUUID } from 'node:crypto';
import { type Mode, modes } from '../../../domain/mode.ts';
import type {
  Origin,
  PurchaseRef,
  PurchaseReport,
  RefundRequest,
} from '../../../domain/purchase.ts';
import type { RedemptionAction } from '../../../domain/redemption.ts';
import type { RewardSnapshot } from '../../../domain/reward.ts';
import type { Message } from '../../../messaging/message.ts';
import { customerOfContact } from '../../../models/identity/customer-of-contact.ts';
import { requireReward } from '../../../models/rewards/find-reward.ts';
import { toSnapshot } from '../../../models/rewards/snapshot.ts';
import type { Models } from '../../../models/schemas/index.ts';
import type { EarningRuleDoc } from '../../../models/schemas/rules.ts';
import { redeem } from '../../../operations/customers.ts';
import { partnerDefaults, sandbox } from '../../../operations/partners.ts';
import { topUpWallet } from '../../../operations/wallets.ts';
import { newId } from '../../../platform/ids.ts';
import { operate } from '../../helpers/operate.ts';
import {
  type Activities,
  asActivity,
  checkoutTerms,
  type Database,
  type Process,
  startProcess,
} from '../../helpers/processes.ts';
import { readCollections } from '../../helpers/read-collections.ts';
import { anOrigin, aReport } from '../../helpers/reports.ts';

/** The time of everything that happens, so that nothing depends on the clock. */
export const at = '2026-03-10T09:00:00.000Z';
const now = () => Date.parse(at);

export interface RefundReport {
  origin: Origin;
  request: RefundRequest;
}

export type Stage = Awaited<ReturnType<typeof openStage>>;

/** Creates a partner with predictable ids for one scenario, and ways to call activities for it. */
export async function openStage(database: Database) {
  const { models, sealer } = database;
  const partnerId = newId('partner');
  const contactEmail = 'owner@shop.example';
  await models.partners.create({
    ...partnerDefaults,
    _id: partnerId,
    name: 'Shop',
    goLive: sandbox,
    contactEmail,
    verifiedContactEmail: contactEmail,
    lowBalanceThresholdCents: 500,
    createdAt: new Date(at),
  });
  const tag = randomUUID().slice(0, 8);
  const contact = { email: 'a@b.co' };
  const owner = { _id: partnerId, country: checkoutTerms.country };
  const customerId = customerOfContact(database.customerHashKey, owner, contact);
  // Each mode has an endpoint, so that the stored webhook deliveries are compared as well.
  await models.webhookEndpoints.insertMany(
    modes.map((mode) => ({
      _id: `whe_${tag}${mode}`,
      partnerId,
      mode,
      slot: 0,
      url: 'https://shop.example/',
      eventTypes: ['*'],
      secrets: [],
      status: 'ACTIVE' as const,
      createdAt: new Date(0),
      updatedAt: new Date(0),
    })),
  );
  const mails = new Set<string>();
  const newProcess = (): Process =>
    startProcess(database, {
      now,
      sendMessage: async (mail: Message) =>
        void mails.add(JSON.stringify({ ...mail, purchaseEventId: '*' })),
    });
  const process = newProcess();
  let orders = 0;

  const rule = async (changes: Partial<EarningRuleDoc> = {}): Promise<string> => {
    const { _id = `rul_${tag}${changes.mode ?? 'LIVE'}` } = changes;
    await models.earningRules.create({
      _id,
      partnerId,
      mode: 'LIVE',
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
      createdAt: new Date(at),
      ...changes,
    });
    return _id;
  };

  const origin = (mode: Mode, name: string): Origin =>
    anOrigin({ partnerId, integrationId: `int_${tag}`, mode }, `${tag} ${name}`, {
      credentialId: `key_${tag}`,
      requestId: `req_${tag}${name}`,
      receivedAt: at,
    });

  const call = <T>(work: (activities: Activities, process: Process) => Promise<T>): Promise<T> =>
    asActivity(`workflow ${tag}`, () => work(process.activities, process));

  return {
    partnerId,
    mails,
    newProcess,
    rule,
    /** Runs work as an activity of the stage's workflow, in the stage's own process. */
    call,
    /** The stage's own process, which never dies. */
    process,
    wallet: (mode: Mode = 'LIVE') => ({ partnerId, mode }),

    /** Records a purchase as the API does. @returns its reference */
    async report(
      report: PurchaseReport,
      { on = process, ruleId = `rul_${tag}${report.mode}` }: { on?: Process; ruleId?: string } = {},
    ): Promise<PurchaseRef> {
      const { answer, isNew } = await on.record(report, ruleId);
      if (!isNew) throw new Error(JSON.stringify(answer));
      return { partnerId, purchaseEventId: report.eventId };
    },

    /** Runs work as an activity of the stage's workflow, in the given process. */
    perform: <T>(
      on: Process,
      work: (activities: Activities, process: Process) => Promise<T>,
    ): Promise<T> => asActivity(`workflow ${tag}`, () => work(on.activities, on)),

    async fund(amountCents: number, mode: Mode = 'LIVE', { commit } = process): Promise<void> {
      const wallet = { partnerId, mode };
      const money = { amountCents, externalReference: `wire ${amountCents}` };
      await topUpWallet({ models, commit }, wallet, money);
    },

    async spend(
      { customerId }: Pick<RewardSnapshot, 'customerId'>,
      points: number,
      reference = 'till',
    ): Promise<void> {
      const { commit } = process;
      const customer = { partnerId, customerId };
      await operate({ models, commit, now }, redeem, { ...customer, points, reference });
    },

    /** Begins a purchase as its workflow does. @returns its reward: funded, or in the queue */
    async begin(ref: PurchaseRef): Promise<RewardSnapshot> {
      return (await call((activities) => activities.begin(ref, { at, offeredUntil: null }))).reward;
    },

    /** The reward as it is stored. */
    async reward({ rewardId }: Pick<RewardSnapshot, 'rewardId'>): Promise<RewardSnapshot> {
      return toSnapshot(await requireReward(models, rewardId));
    },

    /** The next order: 10.00, which earn 100 points at a cost of 1.00. */
    purchase(mode: Mode = 'LIVE'): PurchaseReport {
      orders += 1;
      const name = String(orders);
      const eventId = `evt_${tag}${name}`;
      const secret = { ...contact, phone: null, claimToken: `token ${name}`, metadata: null };
      return aReport(origin(mode, name), {
        eventId,
        rewardId: `PNR_${tag}${name}`,
        workflowId: `workflow ${tag}`,
        externalOrderId: `order ${name}`,
        customerId,
        claimTokenHash: `${tag} token ${name}`,
        sealed: sealer.seal(JSON.stringify(secret), eventId),
      });
    },

    /** A refund request as the API receives it. */
    refund(
      { mode, externalOrderId }: Pick<RewardSnapshot, 'mode' | 'externalOrderId'>,
      name = 'refund',
    ): RefundReport {
      return {
        origin: origin(mode, name),
        request: { externalOrderId, externalRefundId: name },
      };
    },

    /** A LIVE redemption of 40 points as the API receives it. */
    redemption(name = 'redemption') {
      const request = { externalRedemptionId: name, customer: contact, points: 40 };
      return { origin: origin('LIVE', name), request };
    },

    /** The request to capture, release or reverse a redemption. */
    asked: (name: RedemptionAction): Origin => origin('LIVE', name),

    /** Everything stored about the partner, without values that differ between runs. */
    async stored(): Promise<string[]> {
      const found = models.rewards.collection.aggregate(everythingOf(models, partnerId));
      const docs = await found.toArray();
      return docs.map((doc) => this.plain(doc)).toSorted();
    },

    /** A value as text, with this stage's own ids replaced by placeholders. */
    plain(value: unknown): string {
      const text = JSON.stringify(value, (key, inner) =>
        isRandom(key, inner) ? '*' : sortFields(inner),
      );
      return (text ?? '')
        .replaceAll(partnerId, 'PARTNER')
        .replaceAll(tag, 'TAG')
        .replaceAll(customerId, 'CUSTOMER')
        .replaceAll(/\b(evt|red|rev|txn|whk|whd)_[0-9A-HJKMNP-TV-Z]{26}/g, '$1_*');
    },
  };
}

/** An aggregation that reads all documents of a partner. */
function everythingOf({ connection }: Models, partnerId: string): object[] {
  const collections = Object.values(connection.models).map((model) => model.collection.name);
  return readCollections(collections, (collection) => [
    { $match: { partnerId } },
    ...untimed(collection),
  ]);
}

/**
 * Blanks the times of webhook deliveries and of sent messages, which come from the clock, and how often a wallet was
 * taken and asked for, since a repeat does that, too.
 */
function untimed(collection: string): object[] {
  if (collection === 'wallets') return [{ $set: { version: null, wanted: null } }];
  if (collection === 'rewards') return [{ $set: { 'sent.at': null } }];
  const times = { createdAt: null, nextTryAt: null };
  return collection === 'webhook_deliveries' ? [{ $set: times }] : [];
}

/** Generated ids, hashes that cover them, sealed values and their keys. */
function isRandom(key: string, value: unknown): boolean {
  const ofThis = ['hash', 'previousHash', 'sealed', 'wrapped', 'purchaseEventId'];
  if (ofThis.includes(key)) return value !== '';
  return key === '_id' && /^(txn|use|iev|act|dek)_/.test(String(value));
}

/** Sorts an object's fields, because their order means nothing. */
function sortFields(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const fields = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(fields);
}
