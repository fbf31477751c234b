import type { Redemption, RedemptionRef } from '../domain/redemption.ts';
import { expireHold } from '../domain/redemption-facts.ts';
import { redemptionMail, redemptionText } from '../messaging/customer-messages.ts';
import { clearDue } from '../models/due.ts';
import { customerHoldings } from '../models/ledger/index.ts';
import { settled } from '../models/store/settled.ts';
import type { ActivityDeps } from './deps.ts';
import type { MessageOutcome } from './messages.ts';
import { newestReward, tellByNewestPurchase } from './tell-customer.ts';

/** A hold is overdue after this: its workflow is not there, or cannot run. */
const overdueMs = 60_000;
/** The most that one reconciliation ends. */
const maxOverdue = 1_000;

/** The steps of a hold's workflow. Safe to repeat. */
export function redemptionActivities(
  deps: Pick<ActivityDeps, 'models' | 'commit' | 'now' | 'databaseTime'>,
) {
  const { models, databaseTime } = deps;
  return {
    /** Notes that the hold's workflow runs. @returns when the hold ends, ISO 8601 */
    async beginHold(ref: RedemptionRef): Promise<{ expiresAt: string }> {
      const found = await readRedemption(deps, ref);
      const { expiresAt, due } = found;
      if (due?.what === 'HOLD') await clearDue(models, { of: 'redemptions', document: found });
      return { expiresAt: (expiresAt ?? new Date(deps.now())).toISOString() };
    },

    /**
     * Gives back what is still held.
     * @param at ISO 8601, workflow time
     * @returns the redemption's status
     */
    async endHold(ref: RedemptionRef, at: string): Promise<string> {
      const found = await readRedemption(deps, ref);
      if (found.status !== 'HELD') return found.status;
      const ended = await giveBack(deps, found, await databaseTime(new Date(at)));
      return ended.status;
    },

    /**
     * Ends holds whose workflow did not.
     * @returns how many
     */
    async endOverdueHolds(): Promise<number> {
      const at = await databaseTime();
      const before = new Date(at.getTime() - overdueMs);
      const overdue = await models.redemptions
        .find({ status: 'HELD', expiresAt: { $lt: before } })
        .sort({ expiresAt: 1 })
        .limit(maxOverdue);
      for (const one of overdue) await giveBack(deps, one, at);
      return overdue.length;
    },
  };
}

type RedemptionDeps = Pick<
  ActivityDeps,
  'models' | 'commit' | 'sealer' | 'sendMessage' | 'portalUrl' | 'now'
>;

async function readRedemption(
  { models }: Pick<RedemptionDeps, 'models'>,
  { partnerId, redemptionId }: RedemptionRef,
): Promise<Redemption> {
  const found = await models.redemptions.collection.findOne<Redemption>(
    { partnerId, _id: redemptionId },
    settled,
  );
  if (found === null) throw new Error(`there is no ${redemptionId}`);
  return found;
}

async function giveBack(
  { commit }: Pick<RedemptionDeps, 'commit'>,
  found: Redemption,
  at: Date,
): Promise<Redemption> {
  const { partnerId, mode, _id } = found;
  return await commit({
    partnerId,
    wallet: { mode, partnerId },
    redemptionIds: [_id],
    readsHoldings: true,
    decide(draft, terms) {
      const stored = draft.redemptions.get(_id);
      if (stored === undefined) throw new Error(`there is no ${_id}`);
      return expireHold(draft, stored, { ...terms, at });
    },
  });
}

/**
 * Tells a customer of a redemption, by the contact of their newest purchase.
 * @returns NOBODY if the partner notifies its customers itself, or the contact was erased
 * @throws Error if it could not be sent, and is not so old that it is given up
 */
export async function tellOfRedemption(
  deps: RedemptionDeps,
  redemption: Redemption,
): Promise<MessageOutcome> {
  const { partnerId, mode, customerId, _id: redemptionId, due } = redemption;
  const [newest, { points: leftPoints }] = await Promise.all([
    newestReward(deps.models, redemption),
    customerHoldings(deps.models, { partnerId, customerId }, mode),
  ]);
  if (newest === null) return 'NOBODY';
  const redeemed = { ...redemption, redemptionId, leftPoints };
  const { portalUrl } = deps;
  return await tellByNewestPurchase(
    deps,
    newest,
    due?.since,
    ({ partner, localizer, email, phone }) =>
      email !== null
        ? redemptionMail(redeemed, partner, { localizer, portalUrl }, email)
        : redemptionText(redeemed, partner, localizer, phone),
  );
}
