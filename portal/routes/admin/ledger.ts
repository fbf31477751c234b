import Joi from 'joi';
import { type Mode, modes } from '../../../domain/events.ts';
import { given, type PageQuery, page, pageParameters, searchText } from '../../../http/paging.ts';
import { references } from '../../../models/ledger/index.ts';
import type { EntryDoc } from '../../../models/schemas/entry.ts';
import { namesOfPartners } from '../../../models/views/names.ts';
import { param } from '../../context.ts';
import type { PortalDeps } from '../../deps.ts';
import { badge, code, emptyState, facts, section, table } from '../../html/components.ts';
import { filterBar } from '../../html/filters.ts';
import { money, numberText, time } from '../../html/format.ts';
import { html } from '../../html/html.ts';
import { to, toAny } from '../../html/links.ts';
import { wordsOfKind } from '../../html/money-words.ts';
import { pager } from '../../html/pager.ts';
import { postingsTable } from '../../html/postings.ts';
import { view } from '../../html/view.ts';
import { nothingHere } from '../../middleware/well-formed.ts';
import { queryOf } from '../../query.ts';
import type { Routes } from '../../route-table.ts';

interface LedgerQuery extends PageQuery {
  book: Mode;
  partner?: string;
  account?: string;
  reward?: string;
}

const querySchema = Joi.object<LedgerQuery>({
  book: Joi.string()
    .valid(...modes)
    .default('LIVE'),
  partner: searchText,
  account: searchText,
  reward: searchText,
  ...pageParameters,
});

/** Every transaction of the ledger, and of the test funding beside it. */
export function adminLedgerPages(routes: Routes, { models }: PortalDeps): void {
  const bookOf = (mode: Mode) => (mode === 'LIVE' ? models.ledger : models.testFunding);

  async function currenciesOf(partnerIds: readonly string[]): Promise<Map<string, string>> {
    const found = await models.partners
      .find({ _id: { $in: [...new Set(partnerIds)] } }, { currency: 1 })
      .lean();
    return new Map(found.map(({ _id, currency }) => [_id, currency]));
  }

  routes.page({ path: '/admin/ledger', audience: 'operator', permission: 'read' }, async (ctx) => {
    const { book, partner, account, reward, ...paging } = queryOf(ctx, querySchema);
    const { items, nextCursor } = await page(
      bookOf(book),
      given({
        partnerId: partner,
        'postings.account': account,
        reference: reward && { $in: references.ofReward(reward) },
      }),
      paging,
      (entry: EntryDoc) => entry,
    );
    const partnerIds = items.map(({ partnerId }) => partnerId);
    const [nameOf, currencyOf] = await Promise.all([
      namesOfPartners(models, partnerIds),
      currenciesOf(partnerIds),
    ]);
    view(
      ctx,
      {
        title: 'Ledger',
        lead: 'Every transaction moves between accounts and sums to zero. What is positive is owed to the account’s holder.',
      },
      filterBar(ctx, [
        {
          ...{ name: 'book', label: 'Book' },
          choices: [
            { value: 'LIVE', text: 'LIVE ledger' },
            { value: 'TEST', text: 'Test funding' },
          ],
        },
        { name: 'partner', label: 'Partner', placeholder: 'prt_…' },
        { name: 'reward', label: 'Reward', placeholder: 'PNR_…' },
        { name: 'account', label: 'Account', placeholder: 'funding' },
      ]),
      html`<section class="card" id="list">${table({
        caption: 'Transactions',
        columns: [
          { heading: 'What', cell: (one) => to('TRANSACTION', one._id, wordsOfKind(one.kind)) },
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
          { heading: 'Reward', cell: ({ rewardId }) => toAny('REWARD', rewardId) },
          { heading: 'When', cell: ({ at }) => time(at) },
        ],
        rows: items,
        empty: emptyState(
          'No transaction here',
          'Money that comes in, or a LIVE reward, makes one.',
        ),
      })}${pager(ctx, nextCursor)}</section>`,
    );
  });

  routes.page(
    {
      path: '/admin/ledger/:transactionId',
      params: { transactionId: 'transaction' },
      audience: 'operator',
      permission: 'read',
    },
    async (ctx) => {
      const _id = param(ctx, 'transactionId');
      const live = await models.ledger.findById(_id).lean();
      const entry = live ?? (await models.testFunding.findById(_id).lean());
      if (entry === null) throw nothingHere();
      const { partnerId, kind, reference, rewardId, at, postings } = entry;
      const [nameOf, currencyOf] = await Promise.all([
        namesOfPartners(models, [partnerId]),
        currenciesOf([partnerId]),
      ]);
      const mode = live ? 'LIVE' : 'TEST';
      view(
        ctx,
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
            ['Reward', toAny('REWARD', rewardId)],
            ['Reference', code(reference)],
            ['Id', code(_id, { canCopy: true })],
          ]),
        ),
        section('What moved', postingsTable(postings, currencyOf.get(partnerId) ?? 'USD')),
        section(
          'In the chains',
          html`<p class="muted">Each posting takes the next place in its account, and holds the hash of the one before it.</p>`,
          table({
            caption: 'Places in the chains',
            columns: [
              { heading: 'Account', cell: (one) => code(one.account) },
              { heading: 'Place', cell: ({ seq }) => numberText(seq), isNumber: true },
              { heading: 'Hash', cell: ({ hash }) => code(hash.slice(0, 16)) },
              {
                heading: 'After',
                cell: ({ previousHash }) =>
                  previousHash === '' ? 'the first' : code(previousHash.slice(0, 16)),
              },
            ],
            rows: postings,
            empty: html``,
          }),
        ),
      );
    },
  );
}

/** How many cents moved: what came to accounts, which is what left others. */
const sizeOf = (postings: EntryDoc['postings']): number =>
  postings.reduce(
    (sum, { unit, amount }) => sum + (unit === 'CENTS' && amount > 0 ? amount : 0),
    0,
  );
