import Joi from 'joi';
import { roles } from '../../domain/operators.ts';
import { param } from '../../http/context.ts';
import { pageSchema } from '../../http/query.ts';
import { isIntroduced } from '../../models/identity/introductions.ts';
import type { OperatorDoc, OperatorTokenDoc } from '../../models/schemas/people.ts';
import { needsApproval } from '../../operations/needs-approval.ts';
import {
  revokeOperatorToken,
  revokeOwnToken,
  rotateOwnToken,
  tokenDays,
} from '../../operations/operator-tokens.ts';
import {
  changeRole,
  confirmOperator,
  createOperator,
  type OperatorFields,
  resetOperatorFactor,
  revokeOperator,
} from '../../operations/operators.ts';
import {
  type OperatorDetails,
  type Operators,
  readOperator,
  readOperators,
} from '../../views/account.ts';
import {
  badge,
  code,
  definitions,
  emptyState,
  linkButton,
  section,
  table,
  wordsOf,
} from '../components/components.ts';
import { confirm, field, form, hidden, select } from '../components/form.ts';
import { day, type Html, html, lastUseOf, nothing, type Part, time } from '../components/format.ts';
import { operatorPaths, to } from '../components/links.ts';
import { approvalNotice } from '../components/money.ts';
import { type Page, page, render } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { emailField, nameField } from '../forms/fields.ts';
import { emptyForm, type Filled } from '../forms/submit.ts';
import { list } from '../lists/list.ts';
import { queryOf } from '../routing/query.ts';
import type { RoutesOf } from '../routing/route-table.ts';
import { revealCreated } from '../session/reveal.ts';

const role = Joi.string()
  .valid(...roles)
  .required()
  .messages({ 'any.required': 'Choose a role.', 'any.only': 'Choose a role.' });

const createSchema = Joi.object<OperatorFields>({
  name: nameField.required(),
  role,
  email: emailField.required().messages({ 'any.required': 'Enter an email address.' }),
});

const path = '/admin/operators/:operatorId';

/** Operators: accounts, roles, and tokens for the API. */
export function operatorAccountPages(routes: RoutesOf<'operator'>): void {
  routes.page('/admin/operators', showOperators, { permission: 'operator.read' });
  routes.operation('/admin/operators/new', createOperator, {
    page: showNew,
    form: createSchema,
    to: ({ _id }) => operatorPaths.OPERATOR + _id,
    said: ({ name }) => `${name} can sign in with a link sent by email.`,
  });
  routes.page(path, showOperator, { permission: 'operator.read', secondFactor: true });
  routes.operation(`${path}/role`, changeRole, {
    on: showOperator,
    form: Joi.object({ role }),
    to: path,
    said: 'Role changed.',
  });
  routes.operation(`${path}/confirm`, confirmOperator, {
    on: showOperator,
    to: path,
    said: ({ name }) => `${name} confirmed.`,
  });
  routes.operation(`${path}/tokens/revoke`, revokeOperatorToken, {
    on: showOperator,
    fields: ['tokenId'],
    to: path,
    said: 'Token revoked.',
  });
  routes.operation(`${path}/second-factor/reset`, resetOperatorFactor, {
    on: showOperator,
    to: path,
    said: 'Second factor reset.',
  });
  routes.operation(`${path}/revoke`, revokeOperator, {
    to: '/admin/operators',
    said: ({ name }) => `${name} revoked.`,
  });
  routes.page('/admin/tokens', showOwnTokens, { permission: 'own-token.rotate' });
  routes.operation('/admin/tokens', rotateOwnToken, { on: showOwnTokens, done: revealCreated });
  routes.operation('/admin/tokens/revoke', revokeOwnToken, {
    on: showOwnTokens,
    fields: ['tokenId'],
    to: '/admin/tokens',
    said: 'Token revoked.',
  });
}

async function showOperators(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  render(ctx, operatorsPage(ctx, await readOperators(deps, queryOf(ctx, pageSchema))));
}

function showNew(ctx: PageContext<'operator'>, deps: PageDeps, filled: Filled = emptyForm): void {
  render(ctx, newOperatorPage(ctx, { needsApproval: deps.config.approvals.isOn, filled }));
}

async function showOperator(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const found = await readOperator(deps, param(ctx, 'operatorId'));
  const { role } = found.operator;
  const isForTwo = needsApproval(deps.config, resetOperatorFactor, { role });
  const takesTwo = deps.config.approvals.isOn;
  render(
    ctx,
    operatorPage(ctx, found, { filled, needsApproval: isForTwo, takesTwo, nowMs: deps.now() }),
  );
}

async function showOwnTokens(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const { operator } = await readOperator(deps, ctx.state.viewer.actorId);
  render(ctx, ownTokensPage(ctx, operator, { filled, nowMs: deps.now() }));
}

const roleChoices = roles.map((value) => ({ value, text: wordsOf(value) }));

const roleHint = () =>
  'Viewers can read; support can also decide reviews; finance can also move money; admins can do everything.';

function operatorsPage(ctx: PageContext<'operator'>, { items, nextCursor }: Operators): Page {
  return page(
    {
      title: 'Operators',
      lead: roleHint(),
      actions: linkButton('/admin/operators/new', 'New operator'),
    },
    list(ctx, {
      caption: 'Operators',
      columns: {
        Name: ({ _id, name }) => to('OPERATOR', _id, name),
        Role: (one) => badge(one.role),
        State: ({ revokedAt }) => badge(revokedAt ? 'REVOKED' : 'ACTIVE'),
        'Last API request': ({ tokens }) => time(lastUseOf(tokens), 'never'),
        Since: ({ createdAt }) => day(createdAt),
      },
      rows: items,
      nextCursor,
    }),
  );
}

/** @param needsApproval whether a role above viewer needs a second operator */
function newOperatorPage(
  ctx: PageContext<'operator'>,
  { needsApproval, filled }: { needsApproval: boolean; filled: Filled },
): Page {
  return page(
    {
      title: 'New operator',
      crumbs: [['Operators', '/admin/operators']],
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: '/admin/operators/new', submit: 'Create operator', filled },
      field({ name: 'name', label: 'Name', filled, isRequired: true, maxLength: 100 }),
      field({
        name: 'email',
        label: 'Email',
        type: 'email',
        filled,
        maxLength: 255,
        autocomplete: 'off',
        isRequired: true,
        hint: 'They sign in with it, by an emailed link, and create their own API tokens. It can be that of no other account.',
      }),
      select({
        name: 'role',
        label: 'Role',
        choices: roleChoices,
        chosen: 'viewer',
        filled,
        hint: needsApproval
          ? `${roleHint()} Above viewer, a second operator has to approve.`
          : roleHint(),
      }),
    )}</div>`,
  );
}

interface OperatorPageOptions {
  filled: Filled;
  /** Whether resetting the second factor needs a second operator. */
  needsApproval: boolean;
  /** Whether a role that can do more needs one. */
  takesTwo: boolean;
  nowMs: number;
}

function operatorPage(
  ctx: PageContext<'operator'>,
  { operator, user }: OperatorDetails,
  { filled, needsApproval, takesTwo, nowMs }: OperatorPageOptions,
): Page {
  const path = operatorPaths.OPERATOR + operator._id;
  const isActive = operator.revokedAt === null;
  const isSelf = operator._id === ctx.state.viewer.actorId;
  return page(
    {
      title: operator.name,
      crumbs: [['Operators', '/admin/operators']],
      lead: html`${badge(operator.role)} ${badge(isActive ? 'ACTIVE' : 'REVOKED')}`,
    },
    operatorSection(operator, user),
    isActive ? roleSection(ctx, operator, { path, takesTwo, filled }) : nothing,
    section(
      'Tokens for the API',
      tokenTable(ctx, operator, { revokePath: `${path}/tokens/revoke`, nowMs }),
      isSelf ? html`<p class="after"><a href="/admin/tokens">Your own tokens</a></p>` : nothing,
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
    'Operator',
    definitions([
      ['Signs in as', user?.email ?? 'no portal access'],
      ['Second factor', user?.secondFactor ? 'set up' : 'not set up'],
      ['Since', time(operator.createdAt)],
      ['Revoked', time(operator.revokedAt)],
      ['Activity', html`<a href="/admin/audit?actor=${operator._id}">Audit log</a>`],
      ['ID', code(operator._id, { canCopy: true })],
    ]),
  );
}

function roleSection(
  ctx: PageContext<'operator'>,
  { role }: OperatorDoc,
  { path, takesTwo, filled }: { path: string; takesTwo: boolean; filled: Filled },
): Html {
  return section(
    'Role',
    form(
      ctx,
      { action: `${path}/role`, submit: 'Save role', filled },
      select({
        name: 'role',
        label: 'Role',
        choices: roleChoices,
        filled,
        chosen: role,
        hint: takesTwo
          ? `${roleHint()} A second operator has to approve a role that can do more.`
          : roleHint(),
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
    'Confirm',
    html`<p class="muted">For 30 days, ${name} and whoever introduced them cannot approve each other’s proposals, unless another operator confirms that they know ${name}.</p>`,
    form(ctx, {
      action: `${path}/confirm`,
      submit: 'Confirm',
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
    'Second factor',
    needsApproval ? approvalNotice() : nothing,
    confirm(ctx, {
      ask: 'Reset second factor …',
      submit: 'Reset second factor',
      action: `${path}/second-factor/reset`,
      question: `Do this when ${name} has lost both phone and recovery codes, and has told you so in person. They are signed out everywhere, their tokens end, and they are notified by email. Then they set up a new second factor.`,
    }),
  );
}

function revokeSection(ctx: PageContext<'operator'>, { name }: OperatorDoc, path: string): Html {
  return section(
    'Revoke',
    confirm(ctx, {
      ask: 'Revoke …',
      action: `${path}/revoke`,
      submit: 'Revoke',
      question: `${name} is signed out everywhere, and all their tokens end at once. This cannot be undone.`,
    }),
  );
}

function ownTokensPage(
  ctx: PageContext<'operator'>,
  operator: OperatorDoc,
  { filled, nowMs }: { filled: Filled; nowMs: number },
): Page {
  return page(
    {
      title: 'Your tokens',
      lead: 'Use a token to call the operators’ API.',
      crumbs: [['Account', '/account']],
    },
    section('Tokens', tokenTable(ctx, operator, { revokePath: '/admin/tokens/revoke', nowMs })),
    section(
      'New token',
      html`<p class="muted">Two can be active, so you can switch over. A token expires after ${tokenDays} days.</p>`,
      form(ctx, {
        action: '/admin/tokens',
        submit: 'Create token',
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
    caption: 'Tokens',
    columns: {
      Token: ({ tokenId }: OperatorTokenDoc) => code(tokenId),
      State: (token) => badge(stateOf(token)),
      'Last used': ({ lastUsedAt }) => time(lastUsedAt, 'never'),
      From: ({ lastUsedFrom }): Part => lastUsedFrom ?? '–',
      Ends: ({ expiresAt }) => day(expiresAt),
      '': (token) =>
        stateOf(token) === 'ACTIVE'
          ? confirm(
              ctx,
              {
                ask: 'Revoke …',
                question: 'Programs that use this token are refused from now on.',
                action: revokePath,
                submit: 'Revoke token',
              },
              hidden('tokenId', token.tokenId),
            )
          : nothing,
    },
    rows: tokens.toReversed(),
    empty: emptyState('No tokens', 'A token gives access to the operators’ API.'),
  });
}
