import { type Movement, subjectOf } from '../../models/ledger/index.ts';
import type { Statement } from '../../views/statement.ts';
import type { PageContext } from '../context.ts';
import { days } from '../lists/filters.ts';
import { list } from '../lists/list.ts';
import { wordsOfEntry } from '../words/entry-words.ts';
import { linkButton } from './components.ts';
import { day, exactTime, type Html, html, money, moneyText, nothing, type Part } from './format.ts';
import { pathWith } from './paging.ts';

/** A row of a statement: a movement, or the balance before or after all of them. */
type Row = Movement | { balanceCents: number; words: string; on: string };

/**
 * A statement of funding, with its days to choose.
 * @param csvPath where all of it is downloaded
 * @param linkOf a movement's reward or reference, linked as the viewer may open it
 */
export function statementPart(
  ctx: PageContext,
  statement: Statement,
  { currency, csvPath, linkOf, nowMs }: StatementPartOptions,
): Html {
  const { fromDay, toDay, openingCents, closingCents, movements, after, nextAfter } = statement;
  const rows: Row[] = [
    ...(after === null
      ? [{ words: 'Opening balance', on: fromDay, balanceCents: openingCents }]
      : []),
    ...movements,
    ...(nextAfter === null
      ? [{ words: 'Closing balance', on: toDay, balanceCents: closingCents }]
      : []),
  ];
  const link = (place: Record<string, string>) =>
    pathWith(ctx.path, { ...ctx.query, after: '', ...place });
  return list<Row>(ctx, {
    asked: { filters: days, filter: { fromDay, toDay }, unmatched: [], nowMs },
    caption: 'Statement',
    columns: {
      When: (row) => ('on' in row ? day(new Date(row.on)) : exactTime(row.at)),
      Movement: (row) =>
        'on' in row ? html`<strong>${row.words}</strong>` : wordsOfEntry(row.kind),
      For: (row) => ('on' in row ? nothing : linkOf(row)),
      Amount: {
        number: (row) => ('on' in row ? nothing : signed(row.amountCents, currency)),
      },
      'Available after': { number: ({ balanceCents }) => money(balanceCents, currency) },
    },
    rows,
    around: (
      movementsOfDays,
    ) => html`<p>From ${day(new Date(fromDay))} to ${day(new Date(toDay))}: ${money(openingCents, currency)} at first, ${money(closingCents, currency)} in the end.</p>
${movementsOfDays}
<nav class="pager" aria-label="Pages">${after === null ? nothing : html`<a href="${link({})}">First</a>`}${nextAfter === null ? nothing : html`<a href="${link({ after: String(nextAfter) })}" rel="next">Later</a>`}</nav>
<p class="after">${linkButton(csvPath, 'Download CSV', 'secondary')}</p>`,
  });
}

interface StatementPartOptions {
  currency: string;
  csvPath: string;
  linkOf(movement: Movement): Part;
  nowMs: number;
}

/** An amount with its sign. */
export const signed = (cents: number, currency: string): Html =>
  html`<span class="number ${cents > 0 ? 'plus' : ''}">${cents > 0 ? '+' : ''}${moneyText(cents, currency)}</span>`;

/** What a movement is for, as text; its transaction if it names nothing. */
export const subjectText = (movement: Movement): string =>
  subjectOf(movement) || movement.transactionId;
