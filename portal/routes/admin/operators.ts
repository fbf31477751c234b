import Joi from 'joi';
import { type Role, roles } from '../../../domain/operators.ts';
import { pageSchema } from '../../../http/query.ts';
import { execute } from '../../../operations/execute.ts';
import { needsApproval } from '../../../operations/needs-approval.ts';
import {
  revokeOperatorToken,
  revokeOwnToken,
  rotateOwnToken,
} from '../../../operations/operator-tokens.ts';
import {
  changeRole,
  confirmOperator,
  createOperator,
  type OperatorFields,
  resetOperatorFactor,
  revokeOperator,
} from '../../../operations/operators.ts';
import { readOperator, readOperators } from '../../../views/account.ts';
import { operatorPaths } from '../../components/links.ts';
import { render } from '../../components/view.ts';
import { type PageContext, param, redirect } from '../../context.ts';
import type { PageDeps } from '../../deps.ts';
import { emailField, nameField } from '../../forms/fields.ts';
import { emptyForm, type Filled } from '../../forms/submit.ts';
import { actorOf, whenDone } from '../../operate.ts';
import {
  newOperatorPage,
  operatorPage,
  operatorsPage,
  ownTokensPage,
} from '../../pages/admin/operators.ts';
import { queryOf } from '../../routing/query.ts';
import type { Routes } from '../../routing/route-table.ts';
import { revealCreated } from '../../session/reveal.ts';

const role = Joi.string()
  .valid(...roles)
  .required()
  .messages({ 'any.required': 'Choose a role.', 'any.only': 'Choose a role.' });
const createSchema = Joi.object<OperatorFields>({
  name: nameField.required(),
  role,
  email: emailField.required().messages({ 'any.required': 'Enter an email address.' }),
});
const roleSchema = Joi.object<{ role: Role }>({ role });
const tokenSchema = Joi.object<{ tokenId: string }>({ tokenId: Joi.string().max(64).required() });

const creating = {
  path: '/admin/operators/new',
  audience: 'operator',
  permission: 'operator.create',
  secondFactor: true,
} as const;
const ofOperator = {
  path: '/admin/operators/:operatorId',
  params: { operatorId: 'operator' },
  audience: 'operator',
  secondFactor: true,
} as const;
const ownTokens = { path: '/admin/tokens', audience: 'operator' } as const;

/** Operators: accounts, roles, and tokens for the API. */
export function operatorAccountPages(routes: Routes): void {
  const nothingToFill = Joi.object({});
  const { path } = ofOperator;
  routes.page(
    { path: '/admin/operators', audience: 'operator', permission: 'operator.read' },
    showOperators,
  );
  routes.page(creating, showNew);
  routes.action(creating, { schema: createSchema, act: create, retry: showNew });
  routes.page({ ...ofOperator, permission: 'operator.read' }, showOperator);
  routes.action(
    { ...ofOperator, path: `${path}/role`, permission: 'operator.change-role' },
    { schema: roleSchema, act: saveRole, retry: showOperator },
  );
  routes.action(
    { ...ofOperator, path: `${path}/confirm`, permission: 'operator.confirm' },
    { schema: nothingToFill, act: confirm, retry: showOperator },
  );
  routes.action(
    { ...ofOperator, path: `${path}/tokens/revoke`, permission: 'operator.revoke-token' },
    { schema: tokenSchema, act: revokeToken, retry: showOperator },
  );
  routes.action(
    {
      ...ofOperator,
      path: `${path}/second-factor/reset`,
      permission: 'operator.reset-second-factor',
    },
    { schema: nothingToFill, act: resetSecondFactor, retry: showOperator },
  );
  routes.action(
    { ...ofOperator, path: `${path}/revoke`, permission: 'operator.revoke' },
    { schema: nothingToFill, act: revoke },
  );
  routes.page({ ...ownTokens, permission: 'own-token.rotate' }, showOwnTokens);
  routes.action(
    { ...ownTokens, permission: 'own-token.rotate', secondFactor: true },
    { schema: nothingToFill, act: makeOwnToken, retry: showOwnTokens },
  );
  routes.action(
    {
      ...ownTokens,
      path: '/admin/tokens/revoke',
      permission: 'own-token.revoke',
      secondFactor: true,
    },
    { schema: tokenSchema, act: endOwnToken, retry: showOwnTokens },
  );
}

async function showOperators(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  render(ctx, operatorsPage(ctx, await readOperators(deps, queryOf(ctx, pageSchema))));
}

function showNew(ctx: PageContext<'operator'>, deps: PageDeps, filled: Filled = emptyForm): void {
  render(ctx, newOperatorPage(ctx, { needsApproval: deps.config.approvals.isOn, filled }));
}

async function create(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  input: OperatorFields,
): Promise<void> {
  const executed = await execute(deps, createOperator, actorOf(ctx), input);
  await whenDone(ctx, executed, ({ _id, name }) =>
    redirect(ctx, operatorPaths.OPERATOR + _id, `${name} can sign in with a link sent by email.`),
  );
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

async function saveRole(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  { role: wanted }: { role: Role },
): Promise<void> {
  const operatorId = param(ctx, 'operatorId');
  const executed = await execute(deps, changeRole, actorOf(ctx), {
    operatorId,
    role: wanted,
  });
  await whenDone(ctx, executed, () =>
    redirect(ctx, operatorPaths.OPERATOR + operatorId, 'Role changed.'),
  );
}

async function confirm(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const operatorId = param(ctx, 'operatorId');
  const { name } = await execute(deps, confirmOperator, actorOf(ctx), { operatorId });
  redirect(ctx, operatorPaths.OPERATOR + operatorId, `${name} confirmed.`);
}

async function revokeToken(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  { tokenId }: { tokenId: string },
): Promise<void> {
  const operatorId = param(ctx, 'operatorId');
  await execute(deps, revokeOperatorToken, actorOf(ctx), { operatorId, tokenId });
  redirect(ctx, operatorPaths.OPERATOR + operatorId, 'Token revoked.');
}

async function resetSecondFactor(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const operatorId = param(ctx, 'operatorId');
  const executed = await execute(deps, resetOperatorFactor, actorOf(ctx), { operatorId });
  await whenDone(ctx, executed, () =>
    redirect(ctx, operatorPaths.OPERATOR + operatorId, 'Second factor reset.'),
  );
}

async function revoke(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const operatorId = param(ctx, 'operatorId');
  const { name } = await execute(deps, revokeOperator, actorOf(ctx), { operatorId });
  redirect(ctx, '/admin/operators', `${name} revoked.`);
}

async function showOwnTokens(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const { operator } = await readOperator(deps, ctx.state.viewer.actorId);
  render(ctx, ownTokensPage(ctx, operator, { filled, nowMs: deps.now() }));
}

async function makeOwnToken(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  await revealCreated(deps, ctx, await execute(deps, rotateOwnToken, actorOf(ctx), {}));
}

async function endOwnToken(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  { tokenId }: { tokenId: string },
): Promise<void> {
  await execute(deps, revokeOwnToken, actorOf(ctx), { tokenId });
  redirect(ctx, '/admin/tokens', 'Token revoked.');
}
