import Joi from 'joi';
import { liveAccounts, testAccounts } from '../../domain/accounts.ts';
import { formatCents } from '../../domain/money.ts';
import { maxDepositCents } from '../../models/commands/deposit.ts';
import { updatePartner } from '../../models/commands/update-partner.ts';
import { readFunding } from '../../models/live-day.ts';
import type { EntryDoc } from '../../models/schemas/entry.ts';
import { type PageContext, redirect } from '../context.ts';
import { deed } from '../deeds.ts';
import type { PortalDeps } from '../deps.ts';
import { entryWords } from '../entry-words.ts';
import { type Filled, filledWith } from '../forms.ts';
import {
  code,
  emptyState,
  facts,
  linkButton,
  notice,
  section,
  table,
  wordsOf,
} from '../html/components.ts';
import { field, form } from '../html/form.ts';
import { money, moneyText, number, numberText, time } from '../html/format.ts';
import { type Html, html, nothing } from '../html/html.ts';
import { idLink } from '../html/id-link.ts';
import { type Metric, metrics } from '../html/metrics.ts';
import { view } from '../html/view.ts';
import { linkIfOpen } from '../html/way-on.ts';
import { hasPermission } from '../middleware/authorize.ts';
import { moneyField } from '../money-field.ts';
import type { Routes } from '../route-table.ts';

const newestEntries = 15;
const maxIntegrations = 25;

/** How long the funds last, in words. */
const runwayWords = (days: number | null): string =>
  days === null
    ? 'Nothing is being spent'
    : `Lasts ${days === 1 ? 'a day' : `${numberText(days)} days`}`;

/** The partner's money: what is there, how long it lasts, and how more comes in. */
export function fundingPages(routes: Routes, deps: PortalDeps): void {
  const { models, ledger } = deps;

  routes.page({ path: '/funding', audience: 'partner', permission: 'read' }, async (ctx) => {
    const { viewer } = ctx.state;
    const { _id: partnerId, currency, lowBalanceThresholdCents } = viewer.partner;
    const [funding, entries, integrations] = await Promise.all([
      readFunding(deps, partnerId),
      models.ledger
        .find({ partnerId, 'postings.account': liveAccounts.funding })
        .sort({ _id: -1 })
        .limit(newestEntries)
        // Nearly every entry is one of the funding: the newest are found soon, and sorted already.
        .hint({ partnerId: 1, _id: -1 })
        .lean(),
      models.integrations.find({ partnerId }).sort({ _id: -1 }).limit(maxIntegrations).lean(),
    ]);
    const test = await Promise.all(
      integrations.map(async ({ _id, name }) => {
        const head = await ledger.test.head(partnerId, testAccounts(_id).funding);
        return { _id, name, freeCents: head?.balanceAfter ?? null };
      }),
    );
    const { fundingCents, reservedCents, owedCents, awaitingRewards, awaitingCents } = funding;
    const mayChange = hasPermission(viewer, 'partner.update');
    const isLow = fundingCents < lowBalanceThresholdCents;
    view(
      ctx,
      {
        title: 'Funding',
        lead: 'Every LIVE reward is reserved from your funding when it is made, owed to the customer once claimed, and given back when it expires or is cancelled.',
        mode: 'LIVE',
      },
      awaitingRewards > 0
        ? notice(
            'bad',
            html`<strong>${number(awaitingRewards)} ${awaitingRewards === 1 ? 'reward waits' : 'rewards wait'} for funds.</strong> ${money(awaitingCents - fundingCents, currency)} more are needed. With the next top-up they are funded first come, first served.`,
          )
        : isLow
          ? notice(
              'warn',
              html`The funding is below your threshold of ${moneyText(lowBalanceThresholdCents, currency)}. Top up to keep rewards funded.`,
            )
          : nothing,
      metrics([
        fundingMetric(funding, currency),
        {
          name: 'Reserved',
          value: moneyText(reservedCents, currency),
          note: 'For rewards not claimed yet',
        },
        {
          name: 'Owed to customers',
          value: moneyText(owedCents, currency),
          note: 'For points not spent yet',
        },
      ]),
      html`<div class="grid-2">${section(
        'Top up',
        html`<ol class="steps"><li>Transfer ${currency} to the account named in your agreement.</li>
<li>Write this reference on the transfer, so that it finds its way to you:<br>${code(partnerId, { canCopy: true })}</li>
<li>An operator books it when it has arrived. It shows below, and rewards that wait are funded at once.</li></ol>`,
      )}${section(
        'Low balance',
        facts([
          [
            'Threshold',
            lowBalanceThresholdCents === 0
              ? html`<span class="muted">None</span>`
              : money(lowBalanceThresholdCents, currency),
          ],
          [
            'A mail goes to',
            viewer.partner.contactEmail ??
              html`<span class="muted">Nobody</span> ${linkIfOpen(ctx, '/profile/edit', 'Enter a contact')}`,
          ],
        ]),
        html`<p class="muted after">When a reward takes the funding below the threshold, we tell you, once.</p>`,
        mayChange ? linkButton('/funding/threshold', 'Change the threshold', 'secondary') : nothing,
      )}</div>`,
      section(
        'Newest movements',
        table({
          caption: 'Movements of the funding',
          columns: [
            { heading: 'When', cell: ({ at }) => time(at) },
            { heading: 'What', cell: ({ kind }) => entryWords[kind] ?? wordsOf(kind) },
            {
              heading: 'For',
              cell: ({ rewardId, _id }) => (rewardId ? idLink(rewardId) : code(_id)),
            },
            {
              heading: 'Amount',
              cell: (entry) => signed(fundingIn(entry).amount, currency),
              isNumber: true,
            },
            {
              heading: 'Free after it',
              cell: (entry) => money(fundingIn(entry).balanceAfter, currency),
              isNumber: true,
            },
          ],
          rows: entries,
          empty: emptyState('Nothing has moved yet', 'The first top-up is the first line here.'),
        }),
      ),
      section(
        'Test funding',
        html`<p class="muted">Nobody’s money: it lets you try in TEST what happens when funds run short. An integration without any counts every TEST reward as funded.</p>`,
        table({
          caption: 'Test funding',
          columns: [
            {
              heading: 'Integration',
              cell: ({ _id, name }) =>
                html`<a class="clip" href="/integrations/${_id}">${name}</a>`,
            },
            {
              heading: 'Free',
              cell: ({ freeCents }) =>
                freeCents === null
                  ? html`<span class="muted">none added</span>`
                  : money(freeCents, currency),
              isNumber: true,
            },
            {
              heading: '',
              cell: ({ _id }) =>
                hasPermission(viewer, 'integration.test-funding')
                  ? html`<a href="/integrations/${_id}/test-funding">Add</a>`
                  : nothing,
            },
          ],
          rows: test,
          empty: emptyState(
            'No integration yet',
            'Test funding belongs to an integration.',
            linkButton('/integrations', 'To the integrations', 'secondary'),
          ),
        }),
      ),
    );
  });

  async function showThreshold(ctx: PageContext<'partner'>, given?: Filled) {
    const { currency, lowBalanceThresholdCents, contactEmail } = ctx.state.viewer.partner;
    const filled = given ?? filledWith({ threshold: formatCents(lowBalanceThresholdCents) });
    view(
      ctx,
      { title: 'Low-balance threshold', crumbs: [['Funding', '/funding']], mode: 'LIVE' },
      html`<div class="card narrow">${form(
        ctx,
        { action: '/funding/threshold', submit: 'Save the threshold', filled },
        field({
          ...{ name: 'threshold', label: `Threshold in ${currency}`, filled, isRequired: true },
          ...{ inputmode: 'decimal', maxLength: 20, autocomplete: 'off' },
          hint: `When the funding falls below it, ${contactEmail ?? 'your contact, once the profile names one,'} gets a mail. 0 for none.`,
        }),
      )}</div>`,
    );
  }

  const threshold = {
    path: '/funding/threshold',
    audience: 'partner',
    permission: 'partner.update',
  } as const;
  routes.page(threshold, (ctx) => showThreshold(ctx));
  routes.action(threshold, {
    schema: Joi.object<{ threshold: number }>({
      threshold: moneyField('cents', { max: maxDepositCents / 100 }).required(),
    }),
    async act(ctx, { threshold: lowBalanceThresholdCents }) {
      const partnerId = ctx.state.viewer.partner._id;
      const details = { lowBalanceThresholdCents };
      await deed(
        deps,
        ctx,
        { action: 'partner.update', partnerId, targetId: partnerId, details },
        () => updatePartner(deps, partnerId, details),
      );
      redirect(ctx, '/funding', 'The threshold is saved.');
    },
    retry: showThreshold,
  });
}

/** What is free, and how long it lasts. */
export const fundingMetric = (
  { fundingCents, runwayDays }: { fundingCents: number; runwayDays: number | null },
  currency: string,
): Metric => ({
  name: 'Free funding',
  value: moneyText(fundingCents, currency),
  note: runwayWords(runwayDays),
});

const fundingIn = ({ postings }: EntryDoc) =>
  postings.find(({ account }) => account === liveAccounts.funding) ?? {
    amount: 0,
    balanceAfter: 0,
  };

function signed(cents: number, currency: string): Html {
  return html`<span class="number ${cents > 0 ? 'plus' : ''}">${cents > 0 ? '+' : ''}${moneyText(cents, currency)}</span>`;
}
