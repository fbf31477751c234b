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
import { type PlainKey, say } from '../../words/say.ts';
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
import { type Html, html, nothing } from '../html.ts';
import { lastUseOf } from '../last-use.ts';
import { pager } from '../pager.ts';
import { type Page, page } from '../view.ts';

/** The validity periods to choose from, in days. */
export const serviceAccountDays = ['30', '90', '365', 'never'] as const;

const crumbs = () => [[say('serviceAccounts.serviceAccounts'), '/service-accounts']] as const;

const scopeWords: Readonly<Record<ServiceAccountScope, PlainKey>> = {
  'log:read': 'serviceAccounts.scope.logRequests',
  'rewards:read': 'serviceAccounts.scope.rewardsCustomers',
};

const pathOfScope: Record<ServiceAccountScope, string> = {
  'log:read': '/events',
  'rewards:read': '/rewards',
};

const mayChange = (ctx: PageContext<'partner'>): boolean =>
  hasPermission(ctx.state.viewer, 'service-account.change');

export function serviceAccountsPage(
  ctx: PageContext<'partner'>,
  mode: Mode,
  { items, nextCursor }: Rows<ServiceAccountDoc>,
  nowMs: number,
): Page {
  const create = mayChange(ctx)
    ? linkButton('/service-accounts/new', say('serviceAccounts.newServiceAccount'), 'secondary')
    : nothing;
  return page(
    {
      title: say('serviceAccounts.title'),
      lead: say('serviceAccounts.lead'),
      actions: items.length === 0 ? nothing : create,
    },
    html`<section class="card">${table({
      caption: say('serviceAccounts.caption'),
      columns: [
        {
          heading: say('common.name'),
          cell: ({ _id, name }) =>
            html`<a class="clip" href="/service-accounts/${_id}">${name}</a>`,
        },
        {
          heading: say('serviceAccounts.reads'),
          cell: ({ scopes }) => scopes.map((scope) => html`${code(scope)} `),
        },
        {
          heading: say('common.lastUsed'),
          cell: ({ tokens }) => time(lastUseOf(tokens), say('serviceAccounts.never')),
        },
        {
          heading: say('serviceAccounts.expires'),
          cell: ({ expiresAt }) => (expiresAt ? day(expiresAt) : say('serviceAccounts.never')),
        },
        { heading: '', cell: (account) => badge(serviceAccountState(account, nowMs)) },
      ],
      rows: items,
      empty: emptyState(
        say('serviceAccounts.empty.title', { mode }),
        say('serviceAccounts.empty.text'),
        create,
      ),
    })}${pager(ctx, nextCursor)}</section>`,
  );
}

export function newServiceAccountPage(
  ctx: PageContext<'partner'>,
  mode: Mode,
  filled: Filled,
): Page {
  return page(
    {
      title: say('serviceAccounts.newServiceAccount.title'),
      crumbs: crumbs(),
      lead: say('serviceAccounts.newServiceAccount.lead', { maxServiceAccounts }),
    },
    html`<div class="card narrow">${form(
      ctx,
      {
        action: '/service-accounts/new',
        submit: say('serviceAccounts.newServiceAccount.submit'),
        filled,
      },
      field({
        name: 'name',
        label: say('common.name'),
        filled,
        isRequired: true,
        maxLength: 100,
        hint: say('serviceAccounts.name.hint'),
      }),
      select({
        name: 'mode',
        label: say('common.mode'),
        filled,
        chosen: mode,
        choices: modes.map((value) => ({ value, text: value })),
      }),
      tickList({
        name: 'reads',
        label: say('serviceAccounts.newServiceAccount.reads'),
        filled,
        choices: serviceAccountScopes.map((value) => ({
          value,
          text: html`${say(scopeWords[value])} ${code(value)}`,
        })),
      }),
      select({
        name: 'days',
        label: say('serviceAccounts.days'),
        filled,
        chosen: '365',
        choices: serviceAccountDays.map((value) => ({
          value,
          text:
            value === 'never'
              ? say('serviceAccounts.newServiceAccount.text')
              : say('serviceAccounts.newServiceAccount.days', { days: value }),
        })),
      }),
    )}</div>`,
  );
}

export function serviceAccountPage(
  ctx: PageContext<'partner'>,
  account: ServiceAccountDoc,
  { config, now }: Pick<PageDeps, 'config' | 'now'>,
): Page {
  const { _id, mode, name, scopes } = account;
  const state = serviceAccountState(account, now());
  const isChangeable = state === 'ACTIVE' && mayChange(ctx);
  const path = `/service-accounts/${_id}`;
  return page(
    {
      title: name,
      mode,
      crumbs: crumbs(),
      actions: isChangeable
        ? linkButton(`${path}/rotate`, say('serviceAccounts.rotateTheToken'), 'secondary')
        : nothing,
    },
    state === 'ACTIVE' ? nothing : notice('bad', say('serviceAccounts.serviceAccount.notice')),
    accountSection(account, state),
    tokensSection(account),
    state === 'ACTIVE'
      ? section(
          say('serviceAccounts.section.useIt'),
          codeBlock(readingLines(config.portal.url, scopes), say('serviceAccounts.inAShell')),
        )
      : nothing,
    isChangeable ? revokeSection(ctx, path) : nothing,
  );
}

function accountSection(account: ServiceAccountDoc, state: string): Html {
  const { _id, scopes, tokens, createdAt, expiresAt, revokedAt } = account;
  return section(
    say('serviceAccounts.section.serviceAccount'),
    facts([
      [say('common.state'), badge(state)],
      [say('serviceAccounts.reads'), scopes.map((scope) => html`${code(scope)} `)],
      [say('common.lastUsed'), time(lastUseOf(tokens), say('serviceAccounts.never'))],
      [say('common.created'), time(createdAt)],
      [
        revokedAt ? say('serviceAccounts.revoked') : say('serviceAccounts.expires'),
        time(revokedAt ?? expiresAt, say('serviceAccounts.never')),
      ],
      [say('common.id'), code(_id, { canCopy: true })],
    ]),
  );
}

function tokensSection({ tokens, expiresAt }: ServiceAccountDoc): Html {
  return section(
    say('serviceAccounts.section.tokens'),
    table({
      caption: say('serviceAccounts.serviceAccount.caption'),
      columns: [
        { heading: say('common.created'), cell: (token) => time(token.createdAt) },
        {
          heading: say('serviceAccounts.worksUntil'),
          cell: ({ endsAt }) =>
            time(endsAt ?? expiresAt, say('serviceAccounts.serviceAccount.revoked')),
        },
        {
          heading: say('common.lastUsed'),
          cell: ({ lastUsedAt }) => time(lastUsedAt, say('serviceAccounts.never')),
        },
        { heading: say('common.from'), cell: ({ lastUsedFrom }) => lastUsedFrom ?? '–' },
      ],
      rows: tokens,
      empty: nothing,
    }),
  );
}

function revokeSection(ctx: PageContext<'partner'>, path: string): Html {
  return section(
    say('serviceAccounts.section.revoke'),
    html`<p>${say('serviceAccounts.serviceAccount.text')}</p>`,
    confirm(ctx, {
      action: `${path}/revoke`,
      submit: say('serviceAccounts.serviceAccount.submit'),
      ask: say('serviceAccounts.serviceAccount.ask'),
      question: say('serviceAccounts.serviceAccount.question'),
    }),
  );
}

/** @param url of the portal, which also serves programs */
const readingLines = (url: string, scopes: readonly ServiceAccountScope[]): string =>
  scopes
    .map(
      (scope) =>
        `curl -sS '${url}${pathOfScope[scope]}?limit=100' -H "Authorization: Bearer $TOKEN"`,
    )
    .join('\n');

export function rotateServiceAccountPage(
  ctx: PageContext<'partner'>,
  { _id, name, mode, tokens }: ServiceAccountDoc,
  filled: Filled,
): Page {
  return page(
    {
      title: say('serviceAccounts.rotateServiceAccount.title'),
      mode,
      crumbs: [...crumbs(), [name, `/service-accounts/${_id}`]],
    },
    html`<div class="card narrow"><p>${say('serviceAccounts.rotateServiceAccount.nextPage')}</p>
<p>${say('serviceAccounts.rotateServiceAccount.lastUsed', { lastUse: time(lastUseOf(tokens), say('serviceAccounts.never')) })}</p>
${form(ctx, { action: `/service-accounts/${_id}/rotate`, submit: say('serviceAccounts.rotateServiceAccount.submit'), filled })}</div>`,
  );
}
