import type { Readable } from 'node:stream';
import {
  everyMovement,
  type Movement,
  movementsBetween,
  movementWords,
  type StatementBounds,
  type StatementDays,
  statementBounds,
  subjectOf,
} from '../models/ledger/index.ts';
import type { PartnerDoc } from '../models/schemas/partners.ts';
import { amountCell, type CsvColumns, csvOf } from '../platform/csv.ts';
import type { ModelDeps } from './deps.ts';
import type { PartnerScope } from './partner-scope.ts';

const pageRows = 100;

/** A page of a statement: the movements of a partner's LIVE funding on some days, oldest first. */
export interface Statement extends StatementDays, StatementBounds {
  movements: Movement[];
  /** The number of the last movement of the page before; null on the first. */
  after: number | null;
  /** The number of the last movement of this page; null on the last. */
  nextAfter: number | null;
}

/**
 * Reads a page of a statement of funding.
 * @param after the number of the last movement of the page before
 */
export async function readStatement(
  { models }: ModelDeps,
  partnerId: PartnerScope,
  days: StatementDays,
  after: number | null,
): Promise<Statement> {
  const bounds = await statementBounds(models, partnerId, days);
  const afterSeq = Math.max(bounds.afterSeq, after ?? 0);
  const range = { ...bounds, afterSeq };
  const found = await movementsBetween(models, partnerId, range, pageRows + 1);
  const movements = found.slice(0, pageRows);
  const nextAfter = found.length > pageRows ? (movements.at(-1)?.seq ?? null) : null;
  return { ...days, ...bounds, movements, after, nextAfter };
}

interface Line {
  number: number | null;
  at: string;
  what: string;
  subject: string | null;
  rewardId: string | null;
  transactionId: string | null;
  amountCents: number | null;
  balanceCents: number;
}

/** All of a statement as CSV, from its opening to its closing balance. */
export async function statementCsv(
  { models }: ModelDeps,
  partnerId: PartnerScope,
  { currency }: Pick<PartnerDoc, 'currency'>,
  days: StatementDays,
): Promise<Readable> {
  const bounds = await statementBounds(models, partnerId, days);
  const balance = (at: string, what: string, balanceCents: number): Line => ({
    ...{ number: null, at, what, subject: null, rewardId: null, transactionId: null },
    amountCents: null,
    balanceCents,
  });
  async function* lines(): AsyncGenerator<Line> {
    yield balance(days.fromDay, 'Opening balance', bounds.openingCents);
    for await (const movement of everyMovement(models, partnerId, bounds)) {
      const { seq, at, kind, rewardId, transactionId, amountCents, balanceCents } = movement;
      const what = movementWords[kind] ?? kind;
      const subject = subjectOf(movement);
      const line = { number: seq, at: at.toISOString(), what, subject, rewardId };
      yield { ...line, transactionId, amountCents, balanceCents };
    }
    yield balance(days.toDay, 'Closing balance', bounds.closingCents);
  }
  const columns: CsvColumns<Line> = {
    number: ({ number }) => number,
    at: ({ at }) => at,
    movement: ({ what }) => what,
    for: ({ subject }) => subject,
    rewardId: ({ rewardId }) => rewardId,
    transactionId: ({ transactionId }) => transactionId,
    amount: ({ amountCents }) => (amountCents === null ? null : amountCell(amountCents, currency)),
    balance: ({ balanceCents }) => amountCell(balanceCents, currency),
    currency: () => currency,
  };
  return csvOf(columns, lines());
}
