import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PartnerClient } from '../client.ts';
import { PartnerApiError } from '../errors.ts';
import { PortalClient } from '../portal-client.ts';
import { type Credential, type PortalOptions, resolvePortal } from './credentials.ts';
import { deriveIdempotencyKey } from './idempotency-key.ts';
import { renderPurchase, renderRefund, renderTestMove } from './render.ts';
import { UsageError } from './usage-error.ts';

/** `part` refunds a part of the order; `review` claims and then refunds, which opens a review. */
export const triggers = ['purchase', 'refund', 'part', 'claim', 'expire', 'review'] as const;
export type Trigger = (typeof triggers)[number];

/** What causes each webhook event in TEST; null if nothing does, so that an example is sent. */
export const eventTriggers: Readonly<Record<string, Trigger | null>> = {
  'reward.funded': 'purchase',
  'reward.awaiting_funding': null,
  'reward.claimable': null,
  'reward.claimed': 'claim',
  'reward.expired': 'expire',
  'reward.reduced': 'part',
  'reward.cancelled': 'refund',
  'review.opened': 'review',
  'review.asked': null,
  'review.decided': null,
  'funding.low': null,
  'funding.topped_up': null,
  'funding.withdrawn': null,
  'funding.corrected': null,
  'funding.recovered': null,
  'usage.threshold': null,
  'budget.threshold': null,
  'points.ending': null,
  'points.ended': null,
  'invoice.issued': null,
  'invoice.payment_recorded': null,
  'invoice.payment_reversed': null,
  'invoice.overdue': null,
  'invoice.voided': null,
  'go_live.approved': null,
  'go_live.returned': null,
  'credential.created': null,
  'credential.revoked': null,
  'credential.expiring': null,
  'service_account.changed': null,
  'reconciliation.completed': null,
  'test.ping': null,
};

export interface TriggerOptions extends PortalOptions {
  subtotal: number;
  email: string;
  order?: string;
  reward?: string;
}

/** The dependencies of a trigger. */
interface TriggerTerms {
  /** The credential to sign with; only called if something is signed. */
  credential: () => Credential;
  connect: () => PartnerClient;
  /** Prints the response of each step, as JSON or as text. */
  print: (answer: object, text: string) => void;
}

/** A reward is created and funded shortly after the response to its purchase; only then can it be moved. */
const patienceMs = 30_000;
const pauseMs = 250;

/**
 * Makes something happen in TEST, including what must come before it: a new purchase, unless a
 * reward is given.
 * @param what one of `triggers`, or the type of an event
 * @throws UsageError for a key that is not for TEST, and for conflicting options
 */
export async function trigger(
  what: string,
  options: TriggerOptions,
  { credential, connect, print }: TriggerTerms,
): Promise<void> {
  const happening = what in eventTriggers ? eventTriggers[what] : what;
  if (typeof happening === 'string')
    return await happen(happening as Trigger, options, { credential, connect, print });
  if (options.reward !== undefined)
    throw new UsageError('--reward can only be used with claim and expire');
  const sent = await new PortalClient(resolvePortal(options, process.env)).sendExample(what);
  print(
    sent,
    `Example of ${what} sent, ${sent.event.id}. TEST endpoints and terminals: ${sent.told}\n`,
  );
}

async function happen(
  what: Trigger,
  options: TriggerOptions,
  { credential, connect, print }: TriggerTerms,
): Promise<void> {
  const move = what === 'expire' ? 'expire' : /claim|review/.test(what) ? 'claim' : undefined;
  const portal = move && new PortalClient(resolvePortal(options, process.env));
  if (options.reward !== undefined) {
    if (!portal || what === 'review') {
      throw new UsageError('--reward can only be used with claim and expire');
    }
    const moved = await portal.moveTestReward(options.reward, move);
    return print(moved, renderTestMove(moved));
  }
  if (!credential().key.startsWith('pk_test_')) {
    throw new UsageError('trigger works only in TEST, and this is not a TEST API key');
  }
  const client = connect();
  const externalOrderId = options.order ?? `trigger-${randomUUID().slice(0, 8)}`;
  const bought = await client.purchase(
    {
      externalOrderId,
      customer: { email: options.email },
      order: { subtotalCents: options.subtotal },
    },
    { idempotencyKey: deriveIdempotencyKey('purchase', externalOrderId) },
  );
  print(bought, renderPurchase(bought));
  if (portal) {
    const moved = await onceItCan(() => portal.moveTestReward(bought.reward.id, move));
    print(moved, renderTestMove(moved));
  }
  if (what === 'refund' || what === 'review' || what === 'part') {
    const part =
      what === 'part'
        ? {
            externalRefundId: `${externalOrderId}-part`,
            amountCents: Math.ceil(options.subtotal / 4),
          }
        : {};
    const refunded = await client.refund(
      { externalOrderId, ...part },
      { idempotencyKey: deriveIdempotencyKey('refund', externalOrderId) },
    );
    print(refunded, renderRefund(refunded));
  }
}

/** Retries until the reward exists and is funded. */
async function onceItCan<T>(once: () => Promise<T>): Promise<T> {
  const deadlineMs = Date.now() + patienceMs;
  for (;;) {
    try {
      return await once();
    } catch (error) {
      const isEarly =
        error instanceof PartnerApiError && ['NOT_FOUND', 'CONFLICT'].includes(error.code);
      if (!isEarly || Date.now() > deadlineMs) throw error;
      await sleep(pauseMs);
    }
  }
}
