import type { AccessTokenDoc } from '../../../models/schemas/people.ts';
import type { PageContext } from '../../context.ts';
import type { Filled } from '../../forms/submit.ts';
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
      title: 'New access token',
      crumbs: [['Account', '/account']],
      lead: 'For the command-line client on your machine: it reads your log and, if your role allows it, claims and expires TEST rewards. It cannot send purchases or change anything in LIVE.',
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: '/account/access-tokens/new', submit: 'Create token', filled },
      field({
        name: 'name',
        label: 'Name',
        filled,
        isRequired: true,
        maxLength: 100,
        hint: 'For example, the computer you use it on.',
      }),
      select({
        name: 'days',
        label: 'Valid for',
        filled,
        chosen: '30',
        choices: tokenDays.map((days) => ({
          value: String(days),
          text: `${days} days`,
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
    'Access tokens',
    html`<p class="muted">For <code>npx partner-events listen</code> and similar commands in your terminal. They can read your log and rewards and, if your role allows it, use the TEST clock and receive TEST events. They end when you change your password.</p>`,
    table({
      caption: 'Access tokens',
      columns: [
        { heading: 'For', cell: ({ name }) => name },
        { heading: 'Created', cell: ({ createdAt }) => day(createdAt) },
        { heading: 'Expires', cell: ({ expiresAt }) => day(expiresAt) },
        {
          heading: 'Last used',
          cell: ({ lastUsedAt }) => time(lastUsedAt, 'never'),
        },
        { heading: 'From', cell: ({ lastUsedFrom }) => lastUsedFrom ?? '–' },
        {
          heading: '',
          cell: ({ _id }) =>
            form(ctx, {
              action: `/account/access-tokens/${_id}/revoke`,
              submit: 'Revoke',
              isInline: true,
              isDangerous: true,
            }),
        },
      ],
      rows: tokens,
      empty: emptyState(
        'No access tokens',
        'A token lets the command-line client on your machine read your log.',
      ),
    }),
    html`<p class="after">${linkButton('/account/access-tokens/new', 'New access token', 'secondary')}</p>`,
  );
}
