import { type Mode, modes } from '../../../domain/mode.ts';
import {
  maxServiceAccounts,
  type ServiceAccountScope,
  serviceAccountScopes,
  serviceAccountState,
} from '../../../domain/service-accounts.ts';
import type { ServiceAccountDoc } from '../../../models/schemas/service-account.ts';
import type { Page as Rows } from '../../../models/store/paging.ts';
import type { PageContext } from '../../context.ts';
import type { PageDeps } from '../../deps.ts';
import type { Filled } from '../../forms/submit.ts';
import { hasPermission } from '../../middleware/authorize.ts';
import {
  badge,
  code,
  codeBlock,
  emptyState,
  facts,
  linkButton,
  notice,
  section,
  table,
} from '../components.ts';
import { confirm, field, form, select, tickList } from '../form.ts';
import { day, time } from '../format.ts';
import { html, nothing } from '../html.ts';
import { lastUseOf } from '../last-use.ts';
import { pager } from '../pager.ts';
import { type Page, page } from '../view.ts';

type PartnerContext = PageContext<'partner'>;

/** What one may choose for how long an account works. */
export const serviceAccountDays = ['30', '90', '365', 'never'] as const;

const crumbs = [['Service accounts', '/service-accounts']] as const;

const scopeWords: Record<ServiceAccountScope, string> = {
  'log:read': 'The log of requests',
  'rewards:read': 'Rewards, with their customers’ ids',
};

const pathOfScope: Record<ServiceAccountScope, string> = {
  'log:read': '/events',
  'rewards:read': '/rewards',
};

const mayChange = (ctx: PartnerContext): boolean =>
  hasPermission(ctx.state.viewer, 'service-account.change');

export function serviceAccountsPage(
  ctx: PartnerContext,
  mode: Mode,
  { items, nextCursor }: Rows<ServiceAccountDoc>,
  nowMs: number,
): Page {
  const create = mayChange(ctx)
    ? linkButton('/service-accounts/new', 'New service account', 'secondary')
    : nothing;
  return page(
    {
      title: 'Service accounts',
      lead: 'For your programs that only read: a dashboard, a monitor, a nightly export. They belong to your company and keep working when the person who created them leaves.',
      actions: items.length === 0 ? nothing : create,
    },
    html`<section class="card">${table({
      caption: 'Service accounts',
      columns: [
        {
          heading: 'Name',
          cell: ({ _id, name }) =>
            html`<a class="clip" href="/service-accounts/${_id}">${name}</a>`,
        },
        { heading: 'Reads', cell: ({ scopes }) => scopes.map((scope) => html`${code(scope)} `) },
        { heading: 'Last used', cell: ({ tokens }) => time(lastUseOf(tokens), 'never') },
        { heading: 'Expires', cell: ({ expiresAt }) => (expiresAt ? day(expiresAt) : 'never') },
        { heading: '', cell: (account) => badge(serviceAccountState(account, nowMs)) },
      ],
      rows: items,
      empty: emptyState(
        `No ${mode} service account`,
        'A person’s access token ends when they leave. A program that must keep running needs a service account.',
        create,
      ),
    })}${pager(ctx, nextCursor)}</section>`,
  );
}

export function newServiceAccountPage(ctx: PartnerContext, mode: Mode, filled: Filled): Page {
  return page(
    {
      ...{ title: 'New service account', crumbs },
      lead: `The next page shows its token once. It can read but change nothing. Up to ${maxServiceAccounts} work at a time.`,
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: '/service-accounts/new', submit: 'Create the service account', filled },
      field({
        ...{ name: 'name', label: 'Name', filled, isRequired: true, maxLength: 100 },
        hint: 'The program that will have it.',
      }),
      select({
        ...{ name: 'mode', label: 'Mode', filled, chosen: mode },
        choices: modes.map((value) => ({ value, text: value })),
      }),
      tickList({
        ...{ name: 'reads', label: 'It reads', filled },
        choices: serviceAccountScopes.map((value) => ({
          value,
          text: html`${scopeWords[value]} (${code(value)})`,
        })),
      }),
      select({
        ...{ name: 'days', label: 'Valid for', filled, chosen: '365' },
        choices: serviceAccountDays.map((value) => ({
          value,
          text: value === 'never' ? 'As long as it is not revoked' : `${value} days`,
        })),
      }),
    )}</div>`,
  );
}

export function serviceAccountPage(
  ctx: PartnerContext,
  account: ServiceAccountDoc,
  { config, now }: Pick<PageDeps, 'config' | 'now'>,
): Page {
  const { _id, mode, name, scopes, tokens, createdAt, expiresAt, revokedAt } = account;
  const state = serviceAccountState(account, now());
  const isChangeable = state === 'ACTIVE' && mayChange(ctx);
  const path = `/service-accounts/${_id}`;
  return page(
    {
      ...{ title: name, mode, crumbs },
      actions: isChangeable
        ? linkButton(`${path}/rotate`, 'Rotate the token', 'secondary')
        : nothing,
    },
    state === 'ACTIVE'
      ? nothing
      : notice('bad', `This service account has ended and can no longer read anything.`),
    section(
      'Service account',
      facts([
        ['State', badge(state)],
        ['Reads', scopes.map((scope) => html`${code(scope)} `)],
        ['Last used', time(lastUseOf(tokens), 'never')],
        ['Created', time(createdAt)],
        [revokedAt ? 'Revoked' : 'Expires', time(revokedAt ?? expiresAt, 'never')],
        ['Id', code(_id, { canCopy: true })],
      ]),
    ),
    section(
      'Tokens',
      table({
        caption: 'Tokens',
        columns: [
          { heading: 'Created', cell: (token) => time(token.createdAt) },
          { heading: 'Works until', cell: ({ endsAt }) => time(endsAt ?? expiresAt, 'revoked') },
          { heading: 'Last used', cell: ({ lastUsedAt }) => time(lastUsedAt, 'never') },
          { heading: 'From', cell: ({ lastUsedFrom }) => lastUsedFrom ?? '–' },
        ],
        rows: tokens,
        empty: nothing,
      }),
    ),
    state === 'ACTIVE'
      ? section('Use it', codeBlock(readingLines(config.portal.url, scopes), 'In a shell'))
      : nothing,
    isChangeable
      ? section(
          'Revoke',
          html`<p>Ends the account and its tokens at once. This cannot be undone.</p>`,
          confirm(ctx, {
            ...{ action: `${path}/revoke`, submit: 'Revoke the service account' },
            ...{ ask: 'Revoke …', question: 'The program that uses its token loses access.' },
          }),
        )
      : nothing,
  );
}

/** @param url of the portal, which programs ask too */
const readingLines = (url: string, scopes: readonly ServiceAccountScope[]): string =>
  scopes
    .map(
      (scope) =>
        `curl -sS '${url}${pathOfScope[scope]}?limit=100' -H "Authorization: Bearer $TOKEN"`,
    )
    .join('\n');

export function rotateServiceAccountPage(
  ctx: PartnerContext,
  { _id, name, mode, tokens }: ServiceAccountDoc,
  filled: Filled,
): Page {
  return page(
    { title: 'Rotate the token', mode, crumbs: [...crumbs, [name, `/service-accounts/${_id}`]] },
    html`<div class="card narrow"><p>The next page shows a new token once. The current one works for another day, so your program can switch without an outage; older ones stop at once.</p>
<p>Last used: ${time(lastUseOf(tokens), 'never')}. If a token has leaked, revoke the account instead.</p>
${form(ctx, { action: `/service-accounts/${_id}/rotate`, submit: 'Create a new token', filled })}</div>`,
  );
}
