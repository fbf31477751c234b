import type { EntryDoc } from '../../../models/schemas/entries.ts';
import type { Funds, Transaction, Transactions, Wallet } from '../../../views/funding.ts';
import {
  badge,
  code,
  emptyState,
  facts,
  linkButton,
  section,
} from '../../components/components.ts';
import { amountField, checkbox, field, form, hidden } from '../../components/form.ts';
import {
  exactTime,
  type Html,
  html,
  money,
  nothing,
  number,
  numberText,
  time,
} from '../../components/format.ts';
import { crumbsOfPartner, operatorPaths, to, toId } from '../../components/links.ts';
import { approvalNotice } from '../../components/money.ts';
import { queueWords } from '../../components/queue.ts';
import { postingsTable } from '../../components/tables.ts';
import { type Page, page } from '../../components/view.ts';
import type { PageContext } from '../../context.ts';
import type { Filled } from '../../forms/submit.ts';
import { type Asked, days, idOf, ofPartner, view } from '../../lists/filters.ts';
import { list } from '../../lists/list.ts';
import { hasPermission } from '../../middleware/access.ts';
import { wordsOfKind } from '../../words/ledger-words.ts';

export function topUpPage(
  ctx: PageContext<'operator'>,
  { partner, live }: Funds,
  { needsApproval, filled }: { needsApproval: boolean; filled: Filled },
): Page {
  return page(
    { title: 'Top up', crumbs: crumbsOfPartner(partner), mode: 'LIVE' },
    section('Balance', walletFacts(live, partner.currency)),
    html`<div class="card narrow">${needsApproval ? approvalNotice() : nothing}${form(
      ctx,
      { action: ctx.path, submit: 'Top up', filled },
      // Sent along, so that no amount is booked in another currency than the one shown.
      hidden('currency', partner.currency),
      topUpFields(filled, partner.currency),
      needsApproval
        ? nothing
        : checkbox({
            name: 'isChecked',
            filled,
            isRequired: true,
            label: 'I have checked the amount and the reference against the bank statement.',
          }),
    )}</div>`,
  );
}

export function testFundingPage(
  ctx: PageContext<'operator'>,
  { partner, test }: Funds,
  filled: Filled,
): Page {
  return page(
    {
      title: 'Test funding',
      crumbs: crumbsOfPartner(partner),
      lead: 'A balance of its own, not real money. Until any is added, every TEST reward is funded.',
      mode: 'TEST',
    },
    section('Balance', walletFacts(test, partner.currency)),
    hasPermission(ctx.state.viewer, 'test-funding.add')
      ? section(
          'Grant test funding',
          form(
            ctx,
            { action: ctx.path, filled, submit: 'Grant' },
            topUpFields(filled, partner.currency),
          ),
        )
      : nothing,
  );
}

function walletFacts(wallet: Wallet, currency: string): Html {
  return facts([
    ['Available', wallet.isUnlimited ? 'no limit' : money(wallet.fundingCents, currency)],
    ['Reserved for rewards', money(wallet.reservedCents, currency)],
    ['Rewards waiting for funds', number(wallet.awaitingRewards)],
    [
      'Missing for all of them',
      html`${money(wallet.missingCents, currency)}${wallet.queue === null ? nothing : html`.${queueWords(wallet.queue, { currency, pathOf: (id) => operatorPaths.REWARD + id })}`}`,
    ],
  ]);
}

const topUpFields = (filled: Filled, currency: string) => [
  amountField({ name: 'amount', label: 'Amount', filled, isRequired: true, currency }),
  field({
    name: 'reference',
    label: 'Reference',
    filled,
    isRequired: true,
    maxLength: 160,
    hint: 'The external reference, such as the bank’s. Each reference is booked only once.',
  }),
];

export const ledgerFilters = {
  mode: view('Mode', { LIVE: 'LIVE', TEST: 'TEST' }),
  ...ofPartner,
  rewardId: idOf('reward', 'Reward', 'PNR_…'),
  account: idOf('account', 'Account', 'funding'),
  ...days,
};

export const ledgerPage = (
  ctx: PageContext<'operator'>,
  asked: Asked,
  { items, nextCursor, nameOf, currencyOf }: Transactions,
): Page =>
  page(
    {
      title: 'Ledger',
      lead: 'Every transaction moves value between accounts and sums to zero. A positive balance is owed to the account’s holder. Days are UTC.',
    },
    list(ctx, {
      asked,
      caption: 'Transactions',
      columns: {
        Description: (one) => to('TRANSACTION', one._id, wordsOfKind(one.kind)),
        Partner: ({ partnerId }) => to('PARTNER', partnerId, nameOf.get(partnerId)),
        Amount: {
          number: ({ partnerId, postings }) =>
            money(sizeOf(postings), currencyOf.get(partnerId) ?? 'USD'),
        },
        Reward: ({ rewardId }) => toId(ctx, rewardId),
        When: ({ at }) => exactTime(at),
      },
      rows: items,
      empty: emptyState('No transactions', 'Top-ups and rewards create transactions.'),
      nextCursor,
      exportTo: '/admin/ledger/export',
    }),
  );

export function transactionPage(
  ctx: PageContext<'operator'>,
  { entry, nameOf, currencyOf }: Transaction,
): Page {
  const { _id, partnerId, mode, seq, kind, reference, rewardId, at, postings } = entry;
  const { hash, previousHash } = entry;
  return page(
    {
      title: wordsOfKind(kind),
      crumbs: [['Ledger', `/admin/ledger?mode=${mode}`]],
      lead: html`${badge(mode)} ${to('PARTNER', partnerId, nameOf.get(partnerId))}`,
      mode,
    },
    section(
      'Transaction',
      facts([
        ['When', time(at)],
        ['Reward', toId(ctx, rewardId)],
        ['Reference', code(reference)],
        ...(entry.reverses ? [['Corrects', to('TRANSACTION', entry.reverses)] as const] : []),
        ['ID', code(_id, { canCopy: true })],
      ]),
    ),
    mode === 'LIVE' &&
      kind === 'TOP_UP' &&
      hasPermission(ctx.state.viewer, 'partner.correct-top-up')
      ? html`<p class="after">${linkButton(`${operatorPaths.TRANSACTION}${_id}/correct`, 'Correct', 'secondary')}</p>`
      : nothing,
    section('What moved', postingsTable(postings, currencyOf.get(partnerId) ?? 'USD')),
    section(
      'Hash chain',
      html`<p class="muted">The entries of a wallet are numbered without a gap, and each contains the hash of the one before it.</p>`,
      facts([
        ['Wallet', html`${to('PARTNER', partnerId, nameOf.get(partnerId))}, ${mode}`],
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
