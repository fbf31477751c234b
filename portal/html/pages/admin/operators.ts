import { roles } from '../../../../domain/operator-roles.ts';
import { isIntroduced } from '../../../../models/identity/introductions.ts';
import type { OperatorDoc, OperatorTokenDoc } from '../../../../models/schemas/operator.ts';
import type { OperatorDetails, Operators } from '../../../../models/views/operators.ts';
import type { PageContext } from '../../../context.ts';
import type { Filled } from '../../../forms/submit.ts';
import { say } from '../../../words/say.ts';
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
import { operatorPaths, to } from '../../links.ts';
import { pager } from '../../pager.ts';
import { type Page, page } from '../../view.ts';

const roleChoices = roles.map((value) => ({ value, text: wordsOf(value) }));
const roleHint = () => say('admin.operators.roleHint.text');

export function operatorsPage(
  ctx: PageContext<'operator'>,
  { items, nextCursor }: Operators,
): Page {
  return page(
    {
      title: say('admin.operators.title'),
      lead: roleHint(),
      actions: linkButton('/admin/operators/new', say('admin.operators.newOperator')),
    },
    html`<section class="card">${table({
      caption: say('admin.operators.caption'),
      columns: [
        { heading: say('common.name'), cell: ({ _id, name }) => to('OPERATOR', _id, name) },
        { heading: say('common.role'), cell: (one) => badge(one.role) },
        {
          heading: say('common.state'),
          cell: ({ revokedAt }) => badge(revokedAt ? 'REVOKED' : 'ACTIVE'),
        },
        {
          heading: say('admin.operators.lastAskedApi'),
          cell: ({ tokens }) => time(lastUseOf(tokens), say('admin.operators.never')),
        },
        { heading: say('common.since'), cell: ({ createdAt }) => day(createdAt) },
      ],
      rows: items,
      empty: nothing,
    })}${pager(ctx, nextCursor)}</section>`,
  );
}

/** @param needsApproval whether a role above viewer needs a second operator */
export function newOperatorPage(
  ctx: PageContext<'operator'>,
  { needsApproval, filled }: { needsApproval: boolean; filled: Filled },
): Page {
  return page(
    {
      title: say('admin.operators.newOperator.title'),
      crumbs: [[say('admin.operators.operators'), '/admin/operators']],
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: '/admin/operators/new', submit: say('admin.operators.newOperator.submit'), filled },
      field({ name: 'name', label: say('common.name'), filled, isRequired: true, maxLength: 100 }),
      field({
        name: 'email',
        label: say('common.email'),
        type: 'email',
        filled,
        maxLength: 255,
        autocomplete: 'off',
        isRequired: true,
        hint: say('admin.operators.email.hint'),
      }),
      select({
        name: 'role',
        label: say('common.role'),
        choices: roleChoices,
        chosen: 'viewer',
        filled,
        hint: needsApproval
          ? say('admin.operators.role.hint', { roleHint: roleHint() })
          : roleHint(),
      }),
    )}</div>`,
  );
}

interface OperatorPageOptions {
  filled: Filled;
  /** Whether resetting the second factor needs a second operator. */
  needsApproval: boolean;
  nowMs: number;
}

export function operatorPage(
  ctx: PageContext<'operator'>,
  { operator, user }: OperatorDetails,
  { filled, needsApproval, nowMs }: OperatorPageOptions,
): Page {
  const path = operatorPaths.OPERATOR + operator._id;
  const isActive = operator.revokedAt === null;
  const isSelf = operator._id === ctx.state.viewer.actorId;
  return page(
    {
      title: operator.name,
      crumbs: [[say('admin.operators.operators'), '/admin/operators']],
      lead: html`${badge(operator.role)} ${badge(isActive ? 'ACTIVE' : 'REVOKED')}`,
    },
    operatorSection(operator, user),
    isActive ? roleSection(ctx, operator, { path, filled }) : nothing,
    section(
      say('admin.operators.section.tokensApi'),
      tokenTable(ctx, operator, { revokePath: `${path}/tokens/revoke`, nowMs }),
      isSelf
        ? html`<p class="after"><a href="/admin/tokens">${say('admin.operators.yourOwnTokens')}</a></p>`
        : nothing,
    ),
    isActive && !isSelf && isIntroduced(operator, nowMs)
      ? confirmSection(ctx, operator, { path, filled })
      : nothing,
    isActive && !isSelf && user?.secondFactor
      ? secondFactorSection(ctx, operator, { path, needsApproval })
      : nothing,
    isActive ? revokeSection(ctx, operator, path) : nothing,
  );
}

function operatorSection(operator: OperatorDoc, user: OperatorDetails['user']): Html {
  return section(
    say('admin.operators.section.operator'),
    facts([
      [say('admin.operators.signsInAs'), user?.email ?? say('admin.operators.operator.portal')],
      [
        say('admin.operators.secondFactor'),
        user?.secondFactor ? say('admin.operators.setUp') : say('admin.operators.notSetUp'),
      ],
      [say('common.since'), time(operator.createdAt)],
      [say('admin.operators.revoked'), time(operator.revokedAt)],
      [
        say('admin.operators.activity'),
        html`<a href="/admin/audit?actor=${operator._id}">${say('admin.operators.auditLog')}</a>`,
      ],
      [say('common.id'), code(operator._id, { canCopy: true })],
    ]),
  );
}

function roleSection(
  ctx: PageContext<'operator'>,
  { role }: OperatorDoc,
  { path, filled }: { path: string; filled: Filled },
): Html {
  return section(
    say('admin.operators.section.role'),
    form(
      ctx,
      { action: `${path}/role`, submit: say('admin.operators.operator.submit'), filled },
      select({
        name: 'role',
        label: say('common.role'),
        choices: roleChoices,
        filled,
        chosen: role,
        hint: roleHint(),
      }),
    ),
  );
}

function confirmSection(
  ctx: PageContext<'operator'>,
  { name }: OperatorDoc,
  { path, filled }: { path: string; filled: Filled },
): Html {
  return section(
    say('admin.operators.section.confirm'),
    html`<p class="muted">${say('admin.operators.operator.30Days', { name })}</p>`,
    form(ctx, {
      action: `${path}/confirm`,
      submit: say('admin.operators.operator.submit.confirm'),
      filled,
    }),
  );
}

function secondFactorSection(
  ctx: PageContext<'operator'>,
  { name }: OperatorDoc,
  { path, needsApproval }: { path: string; needsApproval: boolean },
): Html {
  return section(
    say('admin.operators.section.secondFactor'),
    needsApproval ? approvalNotice() : nothing,
    confirm(ctx, {
      ask: say('admin.operators.operator.ask'),
      submit: say('admin.operators.operator.submit.resetIt'),
      action: `${path}/second-factor/reset`,
      question: say('admin.operators.operator.question', { name }),
    }),
  );
}

function revokeSection(ctx: PageContext<'operator'>, { name }: OperatorDoc, path: string): Html {
  return section(
    say('admin.operators.section.revoke'),
    confirm(ctx, {
      ask: say('admin.operators.operator.ask.revoke'),
      action: `${path}/revoke`,
      submit: say('admin.operators.operator.submit.revoke'),
      question: say('admin.operators.operator.question.signedOut', { name }),
    }),
  );
}

/** @param tokenDays validity of a new token */
export function ownTokensPage(
  ctx: PageContext<'operator'>,
  operator: OperatorDoc,
  { filled, tokenDays, nowMs }: { filled: Filled; tokenDays: number; nowMs: number },
): Page {
  return page(
    {
      title: say('admin.operators.ownTokens.title'),
      lead: say('admin.operators.ownTokens.lead'),
      crumbs: [[say('common.account'), '/account']],
    },
    section(
      say('admin.operators.section.tokens'),
      tokenTable(ctx, operator, { revokePath: '/admin/tokens/revoke', nowMs }),
    ),
    section(
      say('admin.operators.section.oneMore'),
      html`<p class="muted">${say('admin.operators.ownTokens.text', { tokenDays })}</p>`,
      form(ctx, {
        action: '/admin/tokens',
        submit: say('admin.operators.ownTokens.submit'),
        filled,
      }),
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
    caption: say('admin.operators.tokenTable.caption'),
    columns: [
      {
        heading: say('admin.operators.token'),
        cell: ({ tokenId }: OperatorTokenDoc) => code(tokenId),
      },
      { heading: say('common.state'), cell: (token) => badge(stateOf(token)) },
      {
        heading: say('common.lastUsed'),
        cell: ({ lastUsedAt }) => time(lastUsedAt, say('admin.operators.never')),
      },
      { heading: say('common.from'), cell: ({ lastUsedFrom }): Part => lastUsedFrom ?? '–' },
      { heading: say('common.ends'), cell: ({ expiresAt }) => day(expiresAt) },
      {
        heading: '',
        cell: (token) =>
          stateOf(token) === 'ACTIVE'
            ? form(
                ctx,
                {
                  action: revokePath,
                  submit: say('admin.operators.tokenTable.submit'),
                  isInline: true,
                  isDangerous: true,
                },
                hidden('tokenId', token.tokenId),
              )
            : nothing,
      },
    ],
    rows: tokens.toReversed(),
    empty: emptyState(
      say('admin.operators.tokenTable.empty.title'),
      say('admin.operators.tokenTable.empty.text'),
    ),
  });
}
