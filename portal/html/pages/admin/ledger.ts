import type { EntryDoc } from '../../../../models/schemas/entry.ts';
import type { Transaction, Transactions } from '../../../../models/views/ledger.ts';
import type { PageContext } from '../../../context.ts';
import { wordsOfKind } from '../../../words/ledger-words.ts';
import { say } from '../../../words/say.ts';
import { badge, code, emptyState, facts, section, table } from '../../components.ts';
import { dayFilters, daysOf } from '../../date-presets.ts';
import { emptyOf, filterBar, idFilterField, unmatchedNote } from '../../filters.ts';
import { exactTime, money, numberText, time } from '../../format.ts';
import { html } from '../../html.ts';
import { to, toId } from '../../links.ts';
import { listFoot } from '../../list-foot.ts';
import { partnerFilter, partnerFilterNote } from '../../partner-filter.ts';
import { postingsTable } from '../../postings.ts';
import { savedViews } from '../../saved-views.ts';
import { type Page, page } from '../../view.ts';

export function ledgerPage(
  ctx: PageContext<'operator'>,
  { items, nextCursor, nameOf, currencyOf }: Transactions,
  nowMs: number,
): Page {
  return page(
    {
      title: say('admin.ledger.title'),
      lead: say('admin.ledger.lead'),
    },
    filterBar(ctx, [
      {
        name: 'book',
        label: say('admin.ledger.book'),
        choices: [
          { value: 'LIVE', text: say('admin.ledger.choice.live') },
          { value: 'TEST', text: say('admin.ledger.choice.test') },
        ],
      },
      partnerFilter(ctx),
      idFilterField('reward', say('common.reward'), say('admin.ledger.reward.placeholder')),
      idFilterField('account', say('common.account'), 'funding'),
      ...dayFilters(),
    ]),
    html`<div id="list">${savedViews(ctx, 'ledger')}${daysOf(ctx, nowMs)}<section class="card">${partnerFilterNote(ctx)}${unmatchedNote(ctx)}${table(
      {
        caption: say('admin.ledger.caption'),
        columns: [
          {
            heading: say('common.what'),
            cell: (one) => to('TRANSACTION', one._id, wordsOfKind(one.kind)),
          },
          {
            heading: say('common.partner'),
            cell: ({ partnerId }) => to('PARTNER', partnerId, nameOf.get(partnerId)),
          },
          {
            heading: say('common.amount'),
            cell: ({ partnerId, postings }) =>
              money(sizeOf(postings), currencyOf.get(partnerId) ?? 'USD'),
            isNumber: true,
          },
          { heading: say('common.reward'), cell: ({ rewardId }) => toId(ctx, rewardId) },
          { heading: say('common.when'), cell: ({ at }) => exactTime(at) },
        ],
        rows: items,
        empty: emptyOf(
          ctx,
          emptyState(say('admin.ledger.empty.title'), say('admin.ledger.empty.text')),
        ),
      },
    )}${listFoot(ctx, 'ledger', items, nextCursor)}</section></div>`,
  );
}

export function transactionPage(
  ctx: PageContext<'operator'>,
  { entry, mode, nameOf, currencyOf }: Transaction,
): Page {
  const { _id, partnerId, kind, reference, rewardId, at, postings } = entry;
  return page(
    {
      title: wordsOfKind(kind),
      crumbs: [[say('admin.ledger.ledger'), `/admin/ledger?book=${mode}`]],
      lead: html`${badge(mode)} ${to('PARTNER', partnerId, nameOf.get(partnerId))}`,
      mode,
    },
    section(
      say('admin.ledger.section.transaction'),
      facts([
        [say('common.kind'), kind],
        [say('common.when'), time(at)],
        [say('common.reward'), toId(ctx, rewardId)],
        [say('admin.ledger.reference'), code(reference)],
        [say('common.id'), code(_id, { canCopy: true })],
      ]),
    ),
    section(
      say('admin.ledger.section.postings'),
      postingsTable(postings, currencyOf.get(partnerId) ?? 'USD'),
    ),
    section(
      say('admin.ledger.section.inTheChains'),
      html`<p class="muted">${say('admin.ledger.transaction.text')}</p>`,
      table({
        caption: say('admin.ledger.transaction.caption'),
        columns: [
          { heading: say('common.account'), cell: (one) => code(one.account) },
          {
            heading: say('admin.ledger.place'),
            cell: ({ seq }) => numberText(seq),
            isNumber: true,
          },
          { heading: say('admin.ledger.hash'), cell: ({ hash }) => code(hash.slice(0, 16)) },
          {
            heading: say('admin.ledger.after'),
            cell: ({ previousHash }) =>
              previousHash === '' ? say('admin.ledger.theFirst') : code(previousHash.slice(0, 16)),
          },
        ],
        rows: postings,
        empty: html``,
      }),
    ),
  );
}

/** The amount moved: the sum of the positive postings, which equals that of the negative ones. */
const sizeOf = (postings: EntryDoc['postings']): number =>
  postings.reduce(
    (sum, { unit, amount }) => sum + (unit === 'CENTS' && amount > 0 ? amount : 0),
    0,
  );
