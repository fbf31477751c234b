import type { EntryDoc } from '../../models/schemas/entries.ts';
import { wordsOfAccount } from '../words/ledger-words.ts';
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
    caption: 'Postings',
    columns: [
      { heading: 'Account', cell: ({ account }) => wordsOfAccount(account) },
      {
        heading: 'Unit',
        cell: ({ unit }) => (unit === 'CENTS' ? currency : 'points'),
      },
      {
        heading: 'Amount',
        cell: ({ unit, amount: value }) => amount(unit, value),
        isNumber: true,
      },
      {
        heading: 'Balance after',
        cell: ({ unit, balanceAfter }) => amount(unit, balanceAfter),
        isNumber: true,
      },
    ],
    rows: postings,
    empty: nothing,
  });
}
