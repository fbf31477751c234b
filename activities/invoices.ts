import { heartbeat } from '@temporalio/activity';
import { remind } from '../domain/invoice-facts.ts';
import { type BillingDeps, closePeriodsOf } from '../models/billing/index.ts';
import type { InvoiceDoc, SubscriptionDoc } from '../models/schemas/billing.ts';
import { announceDue } from '../models/webhooks/announce-due.ts';

/** The result of one billing run. */
export interface BillingRound {
  closedPeriods: number;
}

const pageSize = 100;
/** How many of the subscriptions that could not be billed are named. */
const maxNamed = 10;

type Place = Pick<SubscriptionDoc, '_id' | 'currentPeriodEnd'>;

export function billingActivities(deps: BillingDeps) {
  const { subscriptions, invoices } = deps.models;

  return {
    /**
     * Closes and bills all periods that are over, of all active subscriptions. It may run late, repeatedly and concurrently. A
     * subscription that cannot be billed does not hold up the others.
     * @param at ISO 8601
     * @throws Error at the end, naming the subscriptions that could not be billed, so that it is
     *   retried
     */
    async closeDuePeriods(at: string): Promise<BillingRound> {
      const until = new Date(at);
      const round: BillingRound = { closedPeriods: 0 };
      const failed = new Map<string, string>();
      const attempt = async ({ _id }: SubscriptionDoc, work: () => Promise<unknown>) => {
        try {
          await work();
        } catch (error) {
          failed.set(_id, error instanceof Error ? error.message : String(error));
        }
        heartbeat(round);
      };

      for await (const subscription of overdue(until)) {
        await attempt(subscription, () =>
          closePeriodsOf(deps, subscription, until, () => {
            round.closedPeriods += 1;
            heartbeat(round);
          }),
        );
      }
      if (failed.size > 0) {
        const named = [...failed].slice(0, maxNamed).map(([_id, reason]) => `${_id}: ${reason}`);
        const count = failed.size === 1 ? '1 subscription' : `${failed.size} subscriptions`;
        throw new Error(`${count} could not be billed: ${named.join('; ')}`);
      }
      return round;
    },

    /**
     * Reminds the partners of their overdue invoices, each by one commit, and announces what else time brings: keys
     * that expire soon, and overdue reviews. It may run late, repeatedly and concurrently: each is said once.
     * @param at ISO 8601
     * @returns how many reminders were made
     */
    async remindOfInvoices(at: string): Promise<number> {
      let reminders = 0;
      for await (const { _id, partnerId } of unpaid(new Date(at))) {
        const isReminded = await deps.commit({
          partnerId,
          wallet: null,
          invoiceIds: [_id],
          decide: (draft, terms) => remind(draft, _id, terms),
        });
        if (isReminded) reminders += 1;
        heartbeat({ reminders });
      }
      await announceDue(deps.models, new Date(at));
      return reminders;
    },
  };

  /** The invoices whose partners are reminded, page by page. */
  async function* unpaid(until: Date): AsyncGenerator<InvoiceDoc> {
    let last: InvoiceDoc | undefined;
    for (;;) {
      const page: InvoiceDoc[] = await invoices
        .find({
          remindAt: { $lte: until },
          ...(last && {
            $or: [
              { remindAt: { $gt: last.remindAt } },
              { remindAt: last.remindAt, _id: { $gt: last._id } },
            ],
          }),
        })
        .sort({ remindAt: 1, _id: 1 })
        .limit(pageSize);
      yield* page;
      last = page.at(-1);
      if (last === undefined) return;
    }
  }

  /**
   * Reads page by page, each after the last one of the previous page, so that one that failed is
   * not read again.
   */
  async function* overdue(until: Date): AsyncGenerator<SubscriptionDoc> {
    let last: Place | undefined;
    for (;;) {
      const page: SubscriptionDoc[] = await subscriptions
        .find({
          status: 'ACTIVE',
          currentPeriodEnd: { $lte: until },
          ...(last && {
            $or: [
              { currentPeriodEnd: { $gt: last.currentPeriodEnd } },
              { currentPeriodEnd: last.currentPeriodEnd, _id: { $gt: last._id } },
            ],
          }),
        })
        .sort({ currentPeriodEnd: 1, _id: 1 })
        .limit(pageSize);
      yield* page;
      last = page.at(-1);
      if (last === undefined) return;
    }
  }
}
