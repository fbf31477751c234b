import type { EntryDoc } from '../../../../models/schemas/entries.ts';
import type { Transaction, Transactions } from '../../../../models/views/funding.ts';
import type { PageContext } from '../../../context.ts';
import { wordsOfKind } from '../../../words/ledger-words.ts';
import { badge, code, emptyState, facts, section, table } from '../../components.ts';
import { dayFilters, daysOf } from '../../date-presets.ts';
import { emptyOf, filterBar, idFilterField, unmatchedNote } from '../../filters.ts';
import { exactTime, money, numberText, time } from '../../format.ts';
import { html } from '../../html.ts';
import { to, toId } from '../../links.ts';
import { listFoot } from '../../list-foot.ts';
import { partnerFilter, partnerFilterNote } from '../../partner-filter.ts';
import { postingsTable } from '../../postings.ts';
import { type Page, page } from '../../view.ts';

export function ledgerPage(
  ctx: PageContext<'operator'>,
  { items, nextCursor, nameOf, currencyOf }: Transactions,
  nowMs: number,
): Page {
  return page(
    {
      title: 'Ledger',
      lead: 'Every transaction moves value between accounts and sums to zero. A positive balance is owed to the account’s holder. Days are UTC.',
    },
    filterBar(ctx, [
      {
        name: 'book',
        label: 'Book',
        choices: [
          { value: 'LIVE', text: 'LIVE ledger' },
          { value: 'TEST', text: 'Test funding' },
        ],
      },
      partnerFilter(ctx),
      idFilterField('reward', 'Reward', 'PNR_…'),
      idFilterField('account', 'Account', 'funding'),
      ...dayFilters(),
    ]),
    html`<div id="list">${daysOf(ctx, nowMs)}<section class="card">${partnerFilterNote(ctx)}${unmatchedNote(ctx)}${table(
      {
        caption: 'Transactions',
        columns: [
          {
            heading: 'Description',
            cell: (one) => to('TRANSACTION', one._id, wordsOfKind(one.kind)),
          },
          {
            heading: 'Partner',
            cell: ({ partnerId }) => to('PARTNER', partnerId, nameOf.get(partnerId)),
          },
          {
            heading: 'Amount',
            cell: ({ partnerId, postings }) =>
              money(sizeOf(postings), currencyOf.get(partnerId) ?? 'USD'),
            isNumber: true,
          },
          { heading: 'Reward', cell: ({ rewardId }) => toId(ctx, rewardId) },
          { heading: 'When', cell: ({ at }) => exactTime(at) },
        ],
        rows: items,
        empty: emptyOf(
          ctx,
          emptyState('No transactions', 'Top-ups and LIVE rewards create transactions.'),
        ),
      },
    )}${listFoot(ctx, 'ledger', items, nextCursor)}</section></div>`,
  );
}

export function transactionPage(
  ctx: PageContext<'operator'>,
  { entry, mode, nameOf, currencyOf }: Transaction,
): Page {
  const { _id, partnerId, walletId, seq, kind, reference, rewardId, at, postings } = entry;
  const { hash, previousHash } = entry;
  return page(
    {
      title: wordsOfKind(kind),
      crumbs: [['Ledger', `/admin/ledger?book=${mode}`]],
      lead: html`${badge(mode)} ${to('PARTNER', partnerId, nameOf.get(partnerId))}`,
      mode,
    },
    section(
      'Transaction',
      facts([
        ['Kind', kind],
        ['When', time(at)],
        ['Reward', toId(ctx, rewardId)],
        ['Reference', code(reference)],
        ['ID', code(_id, { canCopy: true })],
      ]),
    ),
    section('What moved', postingsTable(postings, currencyOf.get(partnerId) ?? 'USD')),
    section(
      'Hash chain',
      html`<p class="muted">The entries of a wallet are numbered without a gap, and each contains the hash of the one before it.</p>`,
      facts([
        ['Wallet', toId(ctx, walletId)],
        ['Number', numberText(seq)],
        ['Hash', code(hash.slice(0, 16))],
        [
          'Previous hash',
          previousHash === '' ? 'none (the first)' : code(previousHash.slice(0, 16)),
        ],
      ]),
    ),
  );
}

/** The amount moved: the sum of the positive postings, which equals that of the negative ones. */
const sizeOf = (postings: EntryDoc['postings']): number =>
  postings.reduce(
    (sum, { unit, amount }) => sum + (unit === 'CENTS' && amount > 0 ? amount : 0),
    0,
  );
