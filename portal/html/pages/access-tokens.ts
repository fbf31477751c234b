import type { AccessTokenDoc } from '../../../models/schemas/access-token.ts';
import type { PageContext } from '../../context.ts';
import type { Filled } from '../../forms/submit.ts';
import { say } from '../../words/say.ts';
import { tags } from '../../words/tags.ts';
import { emptyState, linkButton, section, table } from '../components.ts';
import { field, form, select } from '../form.ts';
import { day, time } from '../format.ts';
import { type Html, html } from '../html.ts';
import { type Page, page } from '../view.ts';

/** The validity periods to choose from, in days. */
export const tokenDays = [7, 30, 90] as const;

export function newTokenPage(ctx: PageContext<'partner'>, filled: Filled): Page {
  return page(
    {
      title: say('accessTokens.newToken.title'),
      crumbs: [[say('common.account'), '/account']],
      lead: say('accessTokens.newToken.lead'),
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: '/account/access-tokens/new', submit: say('accessTokens.newToken.submit'), filled },
      field({
        name: 'name',
        label: say('common.name'),
        filled,
        isRequired: true,
        maxLength: 100,
        hint: say('accessTokens.name.hint'),
      }),
      select({
        name: 'days',
        label: say('accessTokens.days'),
        filled,
        chosen: '30',
        choices: tokenDays.map((days) => ({
          value: String(days),
          text: say('accessTokens.newToken.days', { days }),
        })),
      }),
    )}</div>`,
  );
}

/** The viewer's own tokens, as a section of the account page. */
export function accessTokenSection(
  ctx: PageContext<'user'>,
  tokens: readonly AccessTokenDoc[],
): Html {
  return section(
    say('accessTokens.section.accessTokens'),
    html`<p class="muted">${say('accessTokens.accessToken.text', { code: tags.code })}</p>`,
    table({
      caption: say('accessTokens.accessToken.caption'),
      columns: [
        { heading: say('common.for'), cell: ({ name }) => name },
        { heading: say('common.created'), cell: ({ createdAt }) => day(createdAt) },
        { heading: say('accessTokens.expires'), cell: ({ expiresAt }) => day(expiresAt) },
        {
          heading: say('common.lastUsed'),
          cell: ({ lastUsedAt }) => time(lastUsedAt, say('accessTokens.never')),
        },
        { heading: say('common.from'), cell: ({ lastUsedFrom }) => lastUsedFrom ?? '–' },
        {
          heading: '',
          cell: ({ _id }) =>
            form(ctx, {
              action: `/account/access-tokens/${_id}/revoke`,
              submit: say('accessTokens.accessToken.submit'),
              isInline: true,
              isDangerous: true,
            }),
        },
      ],
      rows: tokens,
      empty: emptyState(
        say('accessTokens.accessToken.empty.title'),
        say('accessTokens.accessToken.empty.text'),
      ),
    }),
    html`<p class="after">${linkButton('/account/access-tokens/new', say('accessTokens.newAccessToken'), 'secondary')}</p>`,
  );
}
