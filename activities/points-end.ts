import { heartbeat, log } from '@temporalio/activity';
import pMap from 'p-map';
import { endingLinkMs, pointsUrlOf } from '../domain/customer.ts';
import type { CustomerBalance } from '../domain/draft.ts';
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
import { createPointsLink } from '../models/identity/points-links.ts';
import { findDueEnds, readCustomerBalance, readPointsEnd } from '../models/ledger/index.ts';
import type { RewardDoc } from '../models/schemas/rewards.ts';
import type { ActivityDeps } from './deps.ts';
import type { MessageOutcome } from './messages.ts';
import { newestReward, tellByNewestPurchase } from './tell-customer.ts';

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
  const newest = await newestReward(models, customer);
  if (newest === null) throw new Error(`${customerId} has no reward`);
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
 * Tells a customer when their points end.
 * @throws Error if it could not be sent, and is not so late that it is given up
 */
const tellOfEnd = (
  deps: Deps,
  customer: CustomerBalance,
  newest: RewardDoc,
  { nth, endsAt }: { nth: number; endsAt: Date },
): Promise<MessageOutcome> =>
  tellByNewestPurchase(deps, newest, customer.ending?.nextAt, async (to) => {
    const { partner, localizer, purchaseEventId, email, phone } = to;
    const { models, portalUrl, now } = deps;
    const { partnerId, mode, customerId, ending } = customer;
    const of = { partnerId, customerId, mode, purchaseEventId };
    const { token, expiresAt } = await createPointsLink(models, of, now(), endingLinkMs);
    const about = {
      id: `ending-${customerId}-${ending?.activeAt.getTime()}-${nth + 1}`,
      mode,
      localizer,
      link: pointsUrlOf(portalUrl, token),
      linkEndsAt: expiresAt,
      portalUrl,
      points: endingOf(customer).points,
      endsAt,
    };
    return email !== null ? endingMail(partner, about, email) : endingText(partner, about, phone);
  });
