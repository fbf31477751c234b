import { customerTimeZone } from '../domain/branding.ts';
import { isTextable, mailPatienceMs, type UndeliveredReason } from '../domain/messages.ts';
import type { Redemption, RedemptionRef } from '../domain/redemption.ts';
import { expireHold } from '../domain/redemption-facts.ts';
import { redemptionMail, redemptionText } from '../messaging/customer-messages.ts';
import { UnreachableError } from '../messaging/message.ts';
import { localizerOf } from '../messaging/words/localizer.ts';
import { clearDue } from '../models/due.ts';
import { readOrderEvent } from '../models/events/order-events.ts';
import { customerHoldings } from '../models/ledger/index.ts';
import { openContact } from '../models/rewards/contact.ts';
import { noteUndelivered } from '../models/rewards/undelivered.ts';
import type { ActivityDeps } from './deps.ts';
import { channelOf, languageOf, type MessageOutcome, sendToCustomer } from './messages.ts';

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
    { readConcern: { level: 'majority' } },
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
  { models, sealer, sendMessage, portalUrl, now }: RedemptionDeps,
  redemption: Redemption,
): Promise<MessageOutcome> {
  const { partnerId, mode, customerId, _id: redemptionId, due } = redemption;
  const isTooLate = now() - (due?.since.getTime() ?? 0) > mailPatienceMs;
  const [partner, newest, { points: leftPoints }] = await Promise.all([
    models.partners.findById(partnerId).orFail(),
    models.rewards
      .findOne({ customerId, partnerId, mode })
      .sort({ _id: -1 })
      .hint({ customerId: 1, _id: -1 }),
    customerHoldings(models, { partnerId, customerId }, mode),
  ]);
  if (newest === null) return 'NOBODY';
  const event = await readOrderEvent(models, { partnerId, _id: newest.purchaseEventId });
  if (event.purchase?.delivery === 'PARTNER') return 'NOBODY';
  const contact = await openContact({ models, sealer }, event, newest.correction);
  if (contact === null) return 'NOBODY';
  const { email, phone } = contact;
  const language = newest.claimLanguage ?? languageOf(partner);
  const localizer = localizerOf(language, customerTimeZone(partner));
  const redeemed = { ...redemption, redemptionId, leftPoints };
  const message =
    email !== null
      ? redemptionMail(redeemed, partner, { localizer, portalUrl }, email)
      : phone !== null && isTextable(phone)
        ? redemptionText(redeemed, partner, localizer, phone)
        : undefined;
  if (message === undefined) return 'NOBODY';
  const note = (reason: UndeliveredReason) =>
    noteUndelivered(models, newest, { channel: channelOf(message), reason, at: new Date() });
  try {
    const sealed = { ...message, purchaseEventId: event._id };
    const deps = { models, sendMessage };
    if (await sendToCustomer(deps, partner, mode, sealed, customerId)) return 'SENT';
    await note('TOO_MANY');
    return 'UNREACHABLE';
  } catch (error) {
    const isRefused = error instanceof UnreachableError;
    if (!isRefused && !isTooLate) throw error;
    await note(isRefused ? 'REFUSED' : 'GIVEN_UP');
    return 'UNREACHABLE';
  }
}
