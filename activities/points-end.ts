import { heartbeat, log } from '@temporalio/activity';
import pMap from 'p-map';
import { customerTimeZone } from '../domain/branding.ts';
import { endingLinkMs, pointsUrlOf } from '../domain/customer.ts';
import type { CustomerBalance } from '../domain/draft.ts';
import { isTextable, mailPatienceMs, type UndeliveredReason } from '../domain/messages.ts';
import { dueEnd, endingOf } from '../domain/points-end.ts';
import {
  endPointsOf,
  forgetEnd,
  type NewestOrder,
  noteEndTold,
  type SeenEnd,
} from '../domain/points-end-facts.ts';
import { walletOf } from '../domain/postings.ts';
import type { EndOfPointsRef } from '../domain/workflow-names.ts';
import { endingMail, endingText } from '../messaging/customer-messages.ts';
import { UnreachableError } from '../messaging/message.ts';
import { localizerOf } from '../messaging/words/localizer.ts';
import { readOrderEvent } from '../models/events/order-events.ts';
import { createPointsLink } from '../models/identity/points-links.ts';
import { findDueEnds, readCustomerBalance, readPointsEnd } from '../models/ledger/index.ts';
import { openContact } from '../models/rewards/contact.ts';
import { noteUndelivered } from '../models/rewards/undelivered.ts';
import type { RewardDoc } from '../models/schemas/rewards.ts';
import type { ActivityDeps } from './deps.ts';
import { channelOf, languageOf, type MessageOutcome, sendToCustomer } from './messages.ts';

/** Customers looked at a time, and in a page. */
const concurrency = 4;
const pageSize = 100;

/** How many customers were told, whose points ended, and who could not be told now. */
export interface EndsLookedAt {
  told: number;
  ended: number;
  failed: number;
}

type Did = 'NOTHING' | 'TOLD' | 'ENDED';

type Deps = Pick<
  ActivityDeps,
  'models' | 'commit' | 'sealer' | 'sendMessage' | 'portalUrl' | 'now' | 'databaseTime'
>;

export function pointsEndActivities(deps: Deps) {
  const { models, databaseTime } = deps;
  return {
    /**
     * Tells customers whose points end soon, and ends those whose time has come. A retry goes on with what is still
     * due: a customer may be told twice, points end once.
     */
    async lookAtEnds(): Promise<EndsLookedAt> {
      const total: EndsLookedAt = { told: 0, ended: 0, failed: 0 };
      const at = await databaseTime();
      for (let last: CustomerBalance | undefined; ; ) {
        const page = await findDueEnds(models, at, last, pageSize);
        await pMap(page, (customer) => lookAt(customer, total), { concurrency });
        last = page.at(-1);
        if (page.length < pageSize) return total;
      }
    },

    /**
     * Gives the next notice to a TEST customer, or ends their points, without waiting for the time; once.
     * @throws Error if the customer could not be told
     */
    async moveEnd({ partnerId, customerId, told }: EndOfPointsRef): Promise<void> {
      const customer = await readCustomerBalance(models, { partnerId, customerId }, 'TEST');
      if (customer?.ending?.told === told) await doDue(deps, customer, await databaseTime(), true);
    },
  };

  async function lookAt(customer: CustomerBalance, total: EndsLookedAt): Promise<void> {
    try {
      const did = await doDue(deps, customer, await databaseTime());
      if (did === 'TOLD') total.told += 1;
      if (did === 'ENDED') total.ended += 1;
    } catch (error) {
      total.failed += 1;
      log.warn(`what is due about the points of ${customer.customerId} failed`, { error });
    }
    heartbeat();
  }
}

/** Does what is due about a customer's points. */
async function doDue(
  deps: Deps,
  customer: CustomerBalance,
  at: Date,
  isEarly = false,
): Promise<Did> {
  const { models, commit } = deps;
  const { partnerId, mode, customerId } = customer;
  const setting = await readPointsEnd(models, { partnerId, mode });
  const due = dueEnd(setting, customer, at, isEarly);
  if (due.do === 'NOTHING') return 'NOTHING';
  const base = { partnerId, wallet: walletOf(customer), customerIds: [customerId] };
  if (due.do === 'FORGET') {
    await commit({
      ...base,
      decide: (draft, terms) => forgetEnd(draft, customerId, { ...terms, at }),
    });
    return 'NOTHING';
  }
  const newest = await models.rewards
    .findOne({ customerId, partnerId, mode })
    .sort({ _id: -1 })
    .hint({ customerId: 1, _id: -1 })
    .orFail();
  const seen: SeenEnd = { customerId, newest: orderOf(newest), isEarly };
  if (due.do === 'END') {
    const ended = await commit({
      ...base,
      decide: (draft, terms) => endPointsOf(draft, seen, { ...terms, at }),
    });
    return ended > 0 ? 'ENDED' : 'NOTHING';
  }
  // The message names the date, so that it goes first. Who is not reached is told by the partner, whom the commit tells.
  await tellOfEnd(deps, customer, newest, due);
  const isTold = await commit({
    ...base,
    decide: (draft, terms) => noteEndTold(draft, seen, due, { ...terms, at }),
  });
  return isTold ? 'TOLD' : 'NOTHING';
}

const orderOf = ({ _id: rewardId, externalOrderId, integrationId }: RewardDoc): NewestOrder => ({
  rewardId,
  externalOrderId,
  integrationId,
});

/**
 * Tells a customer when their points end, by the contact of their newest purchase.
 * @returns NOBODY if the partner notifies its customers itself, or the contact was erased
 * @throws Error if it could not be sent, and is not so late that it is given up
 */
async function tellOfEnd(
  { models, sealer, sendMessage, portalUrl, now }: Deps,
  customer: CustomerBalance,
  newest: RewardDoc,
  { nth, endsAt }: { nth: number; endsAt: Date },
): Promise<MessageOutcome> {
  const { partnerId, mode, customerId, ending } = customer;
  const isTooLate = now() - (ending?.nextAt?.getTime() ?? 0) > mailPatienceMs;
  const [partner, event] = await Promise.all([
    models.partners.findById(partnerId).orFail(),
    readOrderEvent(models, { partnerId, _id: newest.purchaseEventId }),
  ]);
  if (event.purchase?.delivery === 'PARTNER') return 'NOBODY';
  const contact = await openContact({ models, sealer }, event, newest.correction);
  if (contact === null) return 'NOBODY';
  const { email, phone } = contact;
  if (email === null && (phone === null || !isTextable(phone))) return 'NOBODY';
  const of = { partnerId, customerId, mode, purchaseEventId: event._id };
  const { token, expiresAt } = await createPointsLink(models, of, now(), endingLinkMs);
  const language = newest.claimLanguage ?? languageOf(partner);
  const about = {
    id: `ending-${customerId}-${ending?.activeAt.getTime()}-${nth + 1}`,
    mode,
    localizer: localizerOf(language, customerTimeZone(partner)),
    link: pointsUrlOf(portalUrl, token),
    linkEndsAt: expiresAt,
    portalUrl,
    points: endingOf(customer).points,
    endsAt,
  };
  const message =
    email !== null
      ? endingMail(partner, about, email)
      : endingText(partner, about, phone as string);
  const note = (reason: UndeliveredReason) =>
    noteUndelivered(models, newest, { channel: channelOf(message), reason, at: new Date() });
  try {
    const sealed = { ...message, purchaseEventId: event._id };
    if (await sendToCustomer({ models, sendMessage }, partner, mode, sealed, customerId)) {
      return 'SENT';
    }
    await note('TOO_MANY');
    return 'UNREACHABLE';
  } catch (error) {
    const isRefused = error instanceof UnreachableError;
    if (!isRefused && !isTooLate) throw error;
    await note(isRefused ? 'REFUSED' : 'GIVEN_UP');
    return 'UNREACHABLE';
  }
}
