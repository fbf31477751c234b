import type { EntryDoc } from '../../models/schemas/entry.ts';
import { wordsOfAccount } from '../words/ledger-words.ts';
import { say } from '../words/say.ts';
import { table } from './components.ts';
import { money, number } from './format.ts';
import { type Html, nothing } from './html.ts';

type ShownPosting = Pick<
  EntryDoc['postings'][number],
  'account' | 'unit' | 'amount' | 'balanceAfter'
>;

/** Postings between accounts; a positive amount is owed to the account's holder. */
export function postingsTable(postings: readonly ShownPosting[], currency: string): Html {
  const amount = (unit: ShownPosting['unit'], value: number): Html =>
    unit === 'CENTS' ? money(value, currency) : number(value);
  return table({
    caption: say('postings.table.caption'),
    columns: [
      { heading: say('common.account'), cell: ({ account }) => wordsOfAccount(account) },
      {
        heading: say('postings.unit'),
        cell: ({ unit }) => (unit === 'CENTS' ? currency : say('postings.points')),
      },
      {
        heading: say('common.amount'),
        cell: ({ unit, amount: value }) => amount(unit, value),
        isNumber: true,
      },
      {
        heading: say('postings.balanceAfter'),
        cell: ({ unit, balanceAfter }) => amount(unit, balanceAfter),
        isNumber: true,
      },
    ],
    rows: postings,
    empty: nothing,
  });
}
