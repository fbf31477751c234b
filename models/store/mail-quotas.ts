import type { Mode } from '../../domain/mode.ts';
import { dayMs } from '../../domain/utc-days.ts';
import type { Message, SendMessage } from '../../messaging/message.ts';
import type { Models } from '../schemas/index.ts';
import { addWithinLimit } from './add-within-limit.ts';

/**
 * Daily (UTC) quotas of messages, by mail or text, since each costs somebody money and somebody else's
 * patience: for each recipient, and, for what a partner causes, for each partner.
 */
export const dailyMailQuotas: Record<CountedMail['kind'], number> = {
  /** Codes that verify an address. */
  CODE: 10,
  /** Emails to a partner's contact. TEST does not use up the quota of LIVE. */
  TEST: 200,
  LIVE: 200,
  /** Links to a customer's points. */
  LINK: 5,
  /** What a LIVE customer is told about rewards. */
  CUSTOMER: 20,
  /** Invitations to one address, by whomever. */
  INVITATION: 20,
  /** Links to sign in by email. */
  SIGN_IN: 50,
  /** Of each sort of change to an account, so that one sort cannot hide another. */
  ACCOUNT: 20,
  /** What a partner's user or an operator chose to be told. */
  NOTICE: 200,
};

/** A partner invites no more people in a day than its team can have. */
const maxInvitations = 100;

/** A partner invites one address this often in a day, so that no partner uses up what another has. */
export const maxInvitationsOfOne = 5;

/** An email to an address: of a partner's contact, a code, an invitation, or a chosen notice. */
export interface ContactMail {
  kind: Mode | 'CODE' | 'INVITATION' | 'NOTICE';
  /** Null for the account of an operator. */
  partnerId: string | null;
  to: string;
}

/** A message to somebody about their own account, which no flood for the partner can keep back. */
interface AccountMail {
  kind: 'SIGN_IN' | 'ACCOUNT';
  to: string;
  /** What it says. */
  what?: string;
}

/**
 * A message to a customer. Customers are identified by a keyed hash, since addresses and numbers are
 * personal data.
 */
type CustomerMessage =
  | { kind: 'LINK'; mode: Mode; customerId: string }
  | {
      kind: 'CUSTOMER';
      customerId: string;
      partner: { _id: string; apiRateLimitPerMinute: number };
    };

export type CountedMail = ContactMail | AccountMail | CustomerMessage;

/** The sums that a message counts towards, with their limits. */
function scopesOf(mail: CountedMail): [scope: string, limit: number][] {
  const limit = dailyMailQuotas[mail.kind];
  switch (mail.kind) {
    case 'LINK':
      return [[`${mail.mode} customer:${mail.customerId}`, limit]];
    case 'CUSTOMER': {
      const { _id, apiRateLimitPerMinute } = mail.partner;
      return [
        [`customer:${mail.customerId}`, limit],
        // As many as an hour of all the requests that its contract allows.
        [`partner:${_id}`, apiRateLimitPerMinute * 60],
      ];
    }
    case 'SIGN_IN':
    case 'ACCOUNT':
      return [[`address:${mail.to.toLowerCase()} ${mail.what ?? ''}`, limit]];
    default: {
      const address = `address:${mail.to.toLowerCase()}`;
      const partner = `partner:${mail.partnerId}`;
      if (mail.kind === 'INVITATION') {
        return [
          [partner, maxInvitations],
          [`${partner} ${address}`, maxInvitationsOfOne],
          [address, limit],
        ];
      }
      const isOfTeam = mail.kind === 'NOTICE' || mail.partnerId === null;
      return [...(isOfTeam ? [] : [[partner, limit] as [string, number]]), [address, limit]];
    }
  }
}

/**
 * Counts a message before it is sent. Concurrent calls never exceed a quota together. A crash of the database
 * may lose counts of the last moments.
 * @returns a function that returns the quota if the message was not sent; null if today's is used up
 */
export async function takeMailQuota(
  { mailCounts }: Models,
  mail: CountedMail,
  nowMs: number,
): Promise<(() => Promise<void>) | null> {
  const day = new Date(nowMs).toISOString().slice(0, 10);
  const taken: string[] = [];
  const giveBack = async () => {
    await mailCounts.updateMany({ _id: { $in: taken } }, { $inc: { count: -1 } });
  };
  const expiresAt = new Date(nowMs + 2 * dayMs);
  for (const [scope, limit] of scopesOf(mail)) {
    const _id = `${mail.kind} ${scope}:${day}`;
    const isLost = { writeConcern: { w: 1, journal: false } } as const;
    if (await addWithinLimit(mailCounts, { _id, expiresAt }, 'count', { by: 1, limit }, isLost)) {
      taken.push(_id);
    } else {
      if (taken.length > 0) await giveBack();
      return null;
    }
  }
  return giveBack;
}

export interface CountingDeps {
  models: Models;
  sendMessage: SendMessage;
  /** Milliseconds since the epoch. */
  now: () => number;
}

/**
 * Sends a message within its quotas: the one way out for every message there is.
 * @param message a function writes it once it is known that it can be sent
 * @returns whether it was sent; false if a quota of today is used up
 * @throws Error if it could not be sent; it does not count then
 */
export async function sendCounted(
  { models, sendMessage, now }: CountingDeps,
  message: Message | (() => Promise<Message>),
  counted: CountedMail,
): Promise<boolean> {
  if (typeof message !== 'function' && message.staysInFolder) {
    await sendMessage(message);
    return true;
  }
  const giveBack = await takeMailQuota(models, counted, now());
  if (giveBack === null) return false;
  try {
    await sendMessage(typeof message === 'function' ? await message() : message);
    return true;
  } catch (error) {
    await giveBack();
    throw error;
  }
}
