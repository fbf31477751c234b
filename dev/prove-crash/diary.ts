import type { Mode } from '../../domain/mode.ts';
import type { Told } from './told.ts';

/** A partner's back end, in one mode. */
export interface Shop {
  name: string;
  partnerId: string;
  mode: Mode;
  key: string;
  secret: string;
  /** Its funds run short while it sells, so that rewards wait until an operator tops it up. */
  isTight: boolean;
}

export interface LoggedAnswer {
  status: number;
  text: string;
}

/** A signed event as it goes out, the same bytes each time, and what was answered first. */
export interface Sent {
  shop: Shop;
  kind: 'purchases' | 'refunds';
  orderId: string;
  idempotencyKey: string;
  body: string;
  /** The first one that was neither 429 nor 5xx; undefined until there is one. */
  answer: LoggedAnswer | undefined;
}

/** Everything that was asked of the service, and what it said. */
export interface Diary {
  sent: Sent[];
  /** Rewards whose claim was answered with success. */
  claimed: Set<string>;
  /** Verdicts that were answered with success, by review. */
  decided: Map<string, 'UPHOLD' | 'DISMISS'>;
  /** When purchases and refunds were answered, and how; 0 where no answer came. */
  answers: { atMs: number; status: number }[];
  /** What the partners' endpoints were told. */
  told: Told;
  /** Answers that nobody should ever get. */
  breakdowns: LoggedAnswer[];
}

/** What never happened, so that nothing is proved of it. */
export function missingIn({ sent, claimed, decided, told }: Diary): string[] {
  const refunds = sent.filter(({ kind }) => kind === 'refunds').length;
  return Object.entries({
    ...{ refunds, claims: claimed.size, decisions: decided.size },
    ...(told.endpoints.length > 0 && { webhooks: told.arrived.size }),
  })
    .filter(([, count]) => count === 0)
    .map(([what]) => `there were no ${what}`);
}

export const newDiary = (): Diary => ({
  sent: [],
  claimed: new Set(),
  decided: new Map(),
  answers: [],
  told: { endpoints: [], arrived: new Map() },
  breakdowns: [],
});
