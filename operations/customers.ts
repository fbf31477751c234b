import Joi from 'joi';
import { ServiceError } from '../domain/errors.ts';
import { limitCentsOf } from '../domain/limit-units.ts';
import { modes } from '../domain/mode.ts';
import { accounts, shareOf } from '../domain/postings.ts';
import { redemptionReferences, worstCentsOf } from '../domain/redemption.ts';
import { holdingsIn, recordRedemption } from '../domain/redemption-facts.ts';
import { findPartner, requireNotSuspended } from '../models/identity/partners.ts';
import {
  type CustomerRef,
  customerHoldings,
  findCustomer,
  findEntry,
  keepPoints,
  reviewedHoldings,
} from '../models/ledger/index.ts';
import type { ErasureDoc } from '../models/schemas/customers.ts';
import type { EntryDoc } from '../models/schemas/entries.ts';
import { countAlone, movedAlone } from '../models/store/alone-sums.ts';
import { destroyKeysOf } from '../models/store/data-keys.ts';
import { insertOnce, isDuplicateKey } from '../models/store/insert-once.ts';
import { eraseEventsOf } from '../models/store/sealed-events.ts';
import { appendLines } from '../platform/audit-log.ts';
import { newId } from '../platform/ids.ts';
import type { AuditLogDeps, OperationDeps } from './deps.ts';
import { idField, movementReference } from './fields.ts';
import { always, operation, sensitiveOperation, takesTwo } from './operation.ts';

/**
 * Erases a customer: everything sealed for them so far becomes unreadable. Data that is not personal
 * stays: ledger entries, rewards, and sent links. Later purchases, and those being recorded now, are
 * sealed under new keys. Once per reference.
 * @param erasedAt now, or the original time if the erasure is repeated after a restore
 * @returns the erasure, and whether this call made it
 */
export async function eraseUpTo(
  { models, now }: AuditLogDeps,
  { partnerId, customerId, reference }: CustomerRef & { reference: string },
  erasedAt: Date,
): Promise<{ erasure: ErasureDoc; isNew: boolean }> {
  const key = { partnerId, customerId, reference };
  const isNew = await insertOnce(() =>
    models.erasures.create({ _id: newId('erasure'), ...key, erasedAt }),
  );
  const erasure = await models.erasures.findOne(key).orFail();
  const { erasedAt: upTo } = erasure;
  const erasing = { upTo, erasedAt: new Date(now()) };
  await eraseEventsOf(models, key, erasing);
  await destroyKeysOf(models, key, erasing);
  await keepPoints(models, key);
  // Refused requests are unverified and may name any customer, so all of them are deleted.
  await models.refusedRequests.deleteMany({ partnerId, receivedAt: { $lte: upTo } });
  return { erasure, isNew };
}

/** Repeats an erasure that a restored backup does not contain; only for the command. */
export const eraseAgain = operation({
  name: 'customer.erase',
  permission: { operator: null, user: null },
  secondFactor: 'NEVER',
  input: Joi.object<Record<'partnerId' | 'customerId' | 'reference', string> & { erasedAt: Date }>({
    partnerId: idField,
    customerId: idField,
    reference: movementReference.required(),
    erasedAt: Joi.date().required(),
  }),
  find: () => null,
  approval: 'NONE',
  audit: ({ partnerId, customerId: targetId, reference }) => ({
    targetId,
    partnerId,
    details: { reference },
    once: 'BY_REFERENCE',
  }),

  run: (deps: AuditLogDeps, { erasedAt, ...erasure }) => eraseUpTo(deps, erasure, erasedAt),
});

/** The log message of an erasure, by which `npm run erase-again` finds it. */
export const erasedLine = 'customer erased';

/** Erases a customer, once per reference (docs/operate/privacy.md). */
export const eraseCustomer = sensitiveOperation({
  name: 'customer.erase',
  permission: { operator: 'customer.erase', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<{ customerId: string; reference: string }>({
    customerId: idField,
    reference: movementReference.required(),
  }),
  find: ({ models }, { customerId }) => findCustomer(models, customerId, modes),
  atWorst: { moves: 'a customer’s data', undo: null, two: takesTwo.always },
  approval: {
    shown: (_deps, { customerId, reference }, { partnerId }) => ({
      partnerId,
      customerId,
      reference,
    }),
    needed: always,
  },
  audit: ({ customerId, reference }, { partnerId }) => ({
    targetId: customerId,
    partnerId,
    details: { reference },
    once: 'BY_REFERENCE',
  }),

  /** @returns the erasure, and whether this call made it */
  async run(
    deps: Pick<OperationDeps, 'models' | 'now' | 'log' | 'config'>,
    { reference },
    { found },
  ) {
    const outcome = await eraseUpTo(deps, { ...found, reference }, new Date(deps.now()));
    // After a restore of an older backup, the erasure is repeated from this line.
    const line = { ...found, reference, erasedAt: outcome.erasure.erasedAt };
    deps.log.info(line, erasedLine);
    const { auditLog } = deps.config;
    if (auditLog !== undefined) await appendLines(auditLog, [{ msg: erasedLine, ...line }]);
    return outcome;
  },
});

export interface OperatorRedemption {
  customerId: string;
  /** At least 1. */
  points: number;
  /** Identifies the redemption, once per partner. */
  reference: string;
}

interface RedemptionShown {
  partnerId: string;
  customerId: string;
  /** Their share of what the customer is owed, which is the most that moves. */
  cents: number;
  /** That or, if it is more, what they pay for at the partner's rate. */
  worstCents: number;
  currency: string;
}

type RedeemDeps = Pick<OperationDeps, 'models' | 'commit' | 'now'> &
  Partial<Pick<OperationDeps, 'config'>>;

/** What an operator redeems pays for what it cost, and counts in no day. */
const unlimited = { pointsPerUnit: null, maxPointsPerCustomerDay: null };

/** Redemptions without approval are summed per customer, per partner and per operator. */
const scopesOf = (ids: { customerId: string; partnerId: string; operatorId: string }) => [
  `operator:${ids.operatorId}`,
  `partner:${ids.partnerId}`,
  `customer:${ids.customerId}`,
];

/** @throws ServiceError CONFLICT for more points than the customer can spend */
function requirePoints(held: number, points: number): void {
  if (held >= points) return;
  throw new ServiceError('CONFLICT', `The customer can spend ${held} points, not ${points}.`);
}

/**
 * Redeems a customer's points, and their share of what the customer is owed (docs/concepts/money.md). Once per reference.
 */
export const redeem = sensitiveOperation({
  name: 'customer.redeem',
  permission: { operator: 'customer.redeem', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<OperatorRedemption>({
    customerId: idField,
    points: Joi.number().integer().min(1).max(Number.MAX_SAFE_INTEGER).required(),
    // The ids of partners' redemptions name entries of the same ledger.
    reference: movementReference
      .pattern(/^red_/, { invert: true })
      .messages({ 'string.pattern.invert.base': '{{#label}} must not begin with red_' })
      .required(),
  }),
  find: ({ models }, { customerId }) => findCustomer(models, customerId),
  atWorst: { moves: 'the customer’s points', undo: null, two: takesTwo.aboveRedemptions },
  approval: {
    async shown({ models }, { customerId, points, reference }, found) {
      const partner = await findPartner(models, found.partnerId);
      // A repeat moves nothing.
      const isDone = await findEntry(
        models,
        { mode: 'LIVE', partnerId: found.partnerId },
        redemptionReferences.redeem(reference),
      );
      const cents = isDone ? 0 : shareOf(await customerHoldings(models, found), points);
      const worth = { points, liabilityCents: cents };
      return {
        partnerId: found.partnerId,
        partner: partner.name,
        customerId,
        points,
        reference,
        cents,
        worstCents: isDone ? 0 : worstCentsOf(worth, partner),
        currency: partner.currency,
      };
    },
    async possible({ models }, { customerId, points, reference }, { partnerId }) {
      const wallet = { mode: 'LIVE', partnerId } as const;
      if (await findEntry(models, wallet, redemptionReferences.redeem(reference))) return;
      await requireNotSuspended(models, partnerId);
      const { spendable } = await reviewedHoldings(models, { partnerId, customerId });
      requirePoints(spendable.points, points);
    },
    movedAlone: ({ models, now }, { partnerId, customerId }, { id: operatorId }) =>
      movedAlone(models, scopesOf({ partnerId, customerId, operatorId }), now()),
    needed: ({ worstCents, currency }: RedemptionShown, { redemptionCents }, movedCents) =>
      movedCents + limitCentsOf(worstCents, currency) > redemptionCents,
  },
  audit: ({ customerId, points, reference }, { partnerId }) => ({
    targetId: customerId,
    partnerId,
    details: { points, reference },
    once: 'BY_REFERENCE',
  }),

  /**
   * @returns the transaction, and whether this call made it
   * @throws ServiceError PARTNER_SUSPENDED; CONFLICT if the customer holds fewer points, if they are
   *   worth more now than was approved, or if the reference belongs to another redemption
   */
  async run(
    { models, commit, now, config }: RedeemDeps,
    { customerId, points, reference },
    { found: { partnerId }, actor, approvedBy, shown, idOf },
  ): Promise<{ entry: EntryDoc; isNew: boolean }> {
    await requireNotSuspended(models, partnerId);
    const maxCents = shown === null ? Number.POSITIVE_INFINITY : Number(shown.cents);
    if (actor.kind === 'operator' && approvedBy === null && config?.approvals.isOn) {
      const limitCents = config.approvals.redemptionCents;
      const scopes = scopesOf({ partnerId, customerId, operatorId: actor.id });
      const cents = limitCentsOf(Number(shown?.worstCents), String(shown?.currency));
      await countAlone(models, scopes, { cents, limitCents, at: now() });
    }
    const wallet = { mode: 'LIVE', partnerId } as const;
    const customer = accounts.points.customer(customerId);
    const before = await findEntry(models, wallet, redemptionReferences.redeem(reference));
    let isNew = before === null;
    if (isNew) {
      const { currency } = await findPartner(models, partnerId);
      const redemption = {
        _id: idOf('redemption'),
        partnerId,
        mode: 'LIVE',
        integrationId: null,
        externalRedemptionId: reference,
        externalOrderId: null,
        customerId,
        currency,
        customerDay: null,
        asked: { points },
        isHeld: false,
      } as const;
      await commit({
        partnerId,
        wallet,
        customerIds: [customerId],
        spenderIds: [customerId],
        decide(draft, terms) {
          const held = holdingsIn(draft, customerId);
          requirePoints(held.points, points);
          if (shareOf(held, points) > maxCents) {
            const because = 'The points are worth more now than when this was approved.';
            throw new ServiceError('CONFLICT', because);
          }
          recordRedemption(draft, redemption, terms, unlimited);
        },
      }).catch((error: unknown) => {
        if (!isDuplicateKey(error)) throw error;
        isNew = false;
      });
    }
    const entry =
      before ?? (await findEntry(models, wallet, redemptionReferences.redeem(reference)));
    if (entry === null) throw new Error('the redemption moved no points');
    const spent = entry.postings.find(({ account }) => account === customer)?.amount;
    if (spent === -points) return { entry, isNew };
    throw new ServiceError(
      'CONFLICT',
      `${JSON.stringify(reference)} was already used for another redemption (${entry._id}).`,
    );
  },
});
