import { roles } from '../../../../domain/operator-roles.ts';
import { introductionMs } from '../../../../models/identity/introductions.ts';
import type { OperatorDoc, OperatorTokenDoc } from '../../../../models/schemas/operator.ts';
import type { OperatorDetails, Operators } from '../../../../models/views/operators.ts';
import type { PageContext } from '../../../context.ts';
import type { Filled } from '../../../forms/submit.ts';
import { approvalNotice } from '../../approval-notice.ts';
import {
  badge,
  code,
  emptyState,
  facts,
  linkButton,
  section,
  table,
  wordsOf,
} from '../../components.ts';
import { confirm, field, form, hidden, select } from '../../form.ts';
import { day, time } from '../../format.ts';
import { type Html, html, nothing, type Part } from '../../html.ts';
import { lastUseOf } from '../../last-use.ts';
import { adminPaths, to } from '../../links.ts';
import { pager } from '../../pager.ts';
import { type Page, page } from '../../view.ts';

const roleChoices = roles.map((value) => ({ value, text: wordsOf(value) }));
const roleHint =
  'A viewer can read; support can also decide reviews; finance can also move money; an admin can do everything.';

export function operatorsPage(
  ctx: PageContext<'operator'>,
  { items, nextCursor }: Operators,
): Page {
  return page(
    {
      title: 'Operators',
      lead: roleHint,
      actions: linkButton('/admin/operators/new', 'New operator'),
    },
    html`<section class="card">${table({
      caption: 'Operators',
      columns: [
        { heading: 'Name', cell: ({ _id, name }) => to('OPERATOR', _id, name) },
        { heading: 'Role', cell: (one) => badge(one.role) },
        {
          heading: 'State',
          cell: ({ revokedAt }) => badge(revokedAt ? 'REVOKED' : 'ACTIVE'),
        },
        {
          heading: 'Last asked the API',
          cell: ({ tokens }) => time(lastUseOf(tokens), 'never'),
        },
        { heading: 'Since', cell: ({ createdAt }) => day(createdAt) },
      ],
      rows: items,
      empty: nothing,
    })}${pager(ctx, nextCursor)}</section>`,
  );
}

/** @param needsApproval whether a role above viewer takes a second operator */
export function newOperatorPage(
  ctx: PageContext<'operator'>,
  { needsApproval, filled }: { needsApproval: boolean; filled: Filled },
): Page {
  return page(
    { title: 'New operator', crumbs: [['Operators', '/admin/operators']] },
    html`<div class="card narrow">${form(
      ctx,
      { action: '/admin/operators/new', submit: 'Create operator', filled },
      field({ name: 'name', label: 'Name', filled, isRequired: true, maxLength: 100 }),
      field({
        ...{ name: 'email', label: 'Email', type: 'email', filled, maxLength: 255 },
        ...{ autocomplete: 'off', isRequired: true },
        hint: 'They sign in with it, by an emailed link, and create their own API tokens.',
      }),
      select({
        ...{ name: 'role', label: 'Role', choices: roleChoices, chosen: 'viewer', filled },
        hint: needsApproval
          ? `${roleHint} Above viewer, a second operator has to approve.`
          : roleHint,
      }),
    )}</div>`,
  );
}

interface OperatorPageOptions {
  filled: Filled;
  /** Whether a reset of the second factor takes a second operator. */
  needsApproval: boolean;
  nowMs: number;
}

export function operatorPage(
  ctx: PageContext<'operator'>,
  { operator, user }: OperatorDetails,
  { filled, needsApproval, nowMs }: OperatorPageOptions,
): Page {
  const path = adminPaths.OPERATOR + operator._id;
  const isActive = operator.revokedAt === null;
  const isSelf = operator._id === ctx.state.viewer.actorId;
  return page(
    {
      title: operator.name,
      crumbs: [['Operators', '/admin/operators']],
      lead: html`${badge(operator.role)} ${badge(isActive ? 'ACTIVE' : 'REVOKED')}`,
    },
    section(
      'Operator',
      facts([
        ['Signs in as', user?.email ?? 'not in the portal'],
        ['Second factor', user?.secondFactor ? 'set up' : 'not set up'],
        ['Since', time(operator.createdAt)],
        ['Revoked', time(operator.revokedAt)],
        ['What they did', html`<a href="/admin/audit?actor=${operator._id}">Audit log</a>`],
        ['Id', code(operator._id, { canCopy: true })],
      ]),
    ),
    isActive
      ? section(
          'Role',
          form(
            ctx,
            { action: `${path}/role`, submit: 'Save the role', filled },
            select({
              ...{ name: 'role', label: 'Role', choices: roleChoices, filled },
              ...{ chosen: operator.role, hint: roleHint },
            }),
          ),
        )
      : nothing,
    section(
      'Tokens for the API',
      tokenTable(ctx, operator, { revokePath: `${path}/tokens/revoke`, nowMs }),
      isSelf ? html`<p class="after"><a href="/admin/tokens">Your own tokens</a></p>` : nothing,
    ),
    isActive && !isSelf && isIntroduced(operator, nowMs)
      ? section(
          'Confirm',
          html`<p class="muted">For 30 days, ${operator.name} and whoever introduced them cannot approve each other’s proposals, unless another operator confirms that they know ${operator.name}.</p>`,
          form(ctx, { action: `${path}/confirm`, submit: 'Confirm', filled }),
        )
      : nothing,
    isActive && !isSelf && user?.secondFactor
      ? section(
          'Second factor',
          needsApproval ? approvalNotice : nothing,
          confirm(ctx, {
            ...{ ask: 'Reset the second factor …', submit: 'Reset it' },
            action: `${path}/second-factor/reset`,
            question: `Do this when ${operator.name} has lost both phone and recovery codes, and has told you so in person. They are signed out everywhere, notified by email, and set up a new one.`,
          }),
        )
      : nothing,
    isActive
      ? section(
          'Revoke',
          confirm(ctx, {
            ...{ ask: 'Revoke …', action: `${path}/revoke`, submit: 'Revoke' },
            question: `${operator.name} is signed out everywhere, and all their tokens end at once. This cannot be undone.`,
          }),
        )
      : nothing,
  );
}

const isIntroduced = (
  { introducedBy, introducedAt, confirmedBy }: OperatorDoc,
  nowMs: number,
): boolean =>
  introducedBy !== null &&
  confirmedBy === null &&
  nowMs - (introducedAt?.getTime() ?? 0) < introductionMs;

/** @param tokenDays how long a new one holds */
export function ownTokensPage(
  ctx: PageContext<'operator'>,
  operator: OperatorDoc,
  { filled, tokenDays, nowMs }: { filled: Filled; tokenDays: number; nowMs: number },
): Page {
  return page(
    {
      title: 'Your tokens',
      lead: 'Use one to call the operators’ API, or with npm run admin.',
      crumbs: [['Account', '/account']],
    },
    section('Tokens', tokenTable(ctx, operator, { revokePath: '/admin/tokens/revoke', nowMs })),
    section(
      'One more',
      html`<p class="muted">Two can be active, so you can switch over. A token ends after ${tokenDays} days.</p>`,
      form(ctx, { action: '/admin/tokens', submit: 'Create token', filled }),
    ),
  );
}

function tokenTable(
  ctx: PageContext<'operator'>,
  { tokens, revokedAt }: OperatorDoc,
  { revokePath, nowMs }: { revokePath: string; nowMs: number },
): Html {
  const stateOf = (token: OperatorTokenDoc): string => {
    if (token.revokedAt || revokedAt) return 'REVOKED';
    return token.expiresAt.getTime() <= nowMs ? 'EXPIRED' : 'ACTIVE';
  };
  return table({
    caption: 'Tokens',
    columns: [
      { heading: 'Token', cell: ({ tokenId }: OperatorTokenDoc) => code(tokenId) },
      { heading: 'State', cell: (token) => badge(stateOf(token)) },
      { heading: 'Last used', cell: ({ lastUsedAt }) => time(lastUsedAt, 'never') },
      { heading: 'From', cell: ({ lastUsedFrom }): Part => lastUsedFrom ?? '–' },
      { heading: 'Ends', cell: ({ expiresAt }) => day(expiresAt) },
      {
        heading: '',
        cell: (token) =>
          stateOf(token) === 'ACTIVE'
            ? form(
                ctx,
                { action: revokePath, submit: 'Revoke', isInline: true, isDangerous: true },
                hidden('tokenId', token.tokenId),
              )
            : nothing,
      },
    ],
    rows: tokens.toReversed(),
    empty: emptyState('No token', 'A token gives access to the operators’ API.'),
  });
}
