import type { Router } from '@koa/router';
import Joi from 'joi';
import { type Role, roles } from '../../domain/operator-roles.ts';
import { page, pageSchema } from '../../http/paging.ts';
import type { OperatorFields } from '../../models/commands/create-operator.ts';
import { findOperator } from '../../models/commands/find-operator.ts';
import type { RevealedToken } from '../../models/commands/new-operator-token.ts';
import { revokeOperator } from '../../models/commands/revoke-operator.ts';
import { revokeOperatorToken } from '../../models/commands/revoke-operator-token.ts';
import { rotateOperatorToken } from '../../models/commands/rotate-operator-token.ts';
import type { AdminDoc } from '../../models/schemas/admin.ts';
import { newId } from '../../platform/ids.ts';
import type { ApiDeps } from '../deps.ts';
import { type AdminState, bodyOf, jsonBody, param, queryOf } from './context.ts';
import { deed } from './deeds.ts';
import { shortText } from './fields.ts';
import type { FourEyesGuard } from './four-eyes.ts';
import { permit } from './permit.ts';

const role = Joi.string().valid(...roles);
const createSchema = Joi.object<OperatorFields>({
  name: shortText(100).required(),
  role: role.required(),
  email: Joi.string().email({ tlds: false }).max(255),
});
const changeSchema = Joi.object<{ role: Role }>({ role: role.required() });

/** An operator with every token but what one would ask with. */
function presentOperator({ _id, name, role, tokens, createdAt, revokedAt }: AdminDoc) {
  const shown = tokens.map(({ hash, ...token }) => token);
  return { operatorId: _id, name, role, tokens: shown, createdAt, revokedAt };
}

/** The one answer with the token in clear; no proxy or browser may keep it. */
function presentToken({ admin, tokenId, token }: RevealedToken) {
  return { operator: presentOperator(admin), tokenId, token };
}

/** The operators themselves (domain, Who may do what). */
export function operatorRoutes(
  router: Router<AdminState>,
  deps: ApiDeps,
  fourEyes: FourEyesGuard,
): void {
  const { models } = deps;
  const { tokenDays } = deps.config.admin;
  const answerTo = (made: RevealedToken) => ({ status: 201, body: presentToken(made) });

  const create = fourEyes.guard('operator.create', answerTo);
  const rotate = fourEyes.guard('operator.rotate-token', answerTo);
  const change = fourEyes.guard('operator.change-role', (operator) => ({
    status: 200,
    body: presentOperator(operator),
  }));

  // It is asked for in the portal, where people sign in, and may be approved through either face.
  fourEyes.guard('operator.reset-second-factor', (operator) => ({
    status: 200,
    body: presentOperator(operator),
  }));

  router.get('/operators/me', permit('read'), async (ctx) => {
    ctx.body = presentOperator(await findOperator(models, ctx.state.admin.adminId));
  });

  router.post('/operators/me/tokens', permit('own-token.rotate'), async (ctx) => {
    const { adminId: targetId } = ctx.state.admin;
    const tokenId = newId('operatorToken');
    const made = await deed(
      deps,
      ctx,
      { action: 'own-token.rotate', partnerId: null, targetId, details: { tokenId } },
      () => rotateOperatorToken(deps, targetId, { tokenDays, tokenId }),
    );
    ctx.set('Cache-Control', 'no-store');
    Object.assign(ctx, answerTo(made));
  });

  router.delete('/operators/me/tokens/:tokenId', permit('own-token.revoke'), async (ctx) => {
    const { adminId: targetId } = ctx.state.admin;
    const tokenId = param(ctx, 'tokenId');
    const operator = await deed(
      deps,
      ctx,
      { action: 'own-token.revoke', partnerId: null, targetId, details: { tokenId } },
      () => revokeOperatorToken(deps, targetId, tokenId),
    );
    ctx.body = presentOperator(operator);
  });

  router.get('/operators', permit('operator.read'), async (ctx) => {
    ctx.body = await page(models.admins, [], queryOf(ctx, pageSchema), presentOperator);
  });

  router.post('/operators', permit('operator.create'), jsonBody, async (ctx) => {
    ctx.set('Cache-Control', 'no-store');
    await create(ctx, bodyOf(ctx, createSchema));
  });

  router.get('/operators/:operatorId', permit('operator.read'), async (ctx) => {
    ctx.body = presentOperator(await findOperator(models, param(ctx, 'operatorId')));
  });

  router.patch('/operators/:operatorId', permit('operator.change-role'), jsonBody, async (ctx) => {
    const { role: to } = bodyOf(ctx, changeSchema);
    const { _id: operatorId, role: from } = await findOperator(models, param(ctx, 'operatorId'));
    await change(ctx, { operatorId, from, to });
  });

  router.delete('/operators/:operatorId', permit('operator.revoke'), async (ctx) => {
    const { _id: targetId } = await findOperator(models, param(ctx, 'operatorId'));
    const operator = await deed(
      deps,
      ctx,
      { action: 'operator.revoke', partnerId: null, targetId },
      () => revokeOperator(deps, targetId),
    );
    ctx.body = presentOperator(operator);
  });

  router.post('/operators/:operatorId/tokens', permit('operator.rotate-token'), async (ctx) => {
    const { _id: operatorId } = await findOperator(models, param(ctx, 'operatorId'));
    ctx.set('Cache-Control', 'no-store');
    await rotate(ctx, { operatorId });
  });

  router.delete(
    '/operators/:operatorId/tokens/:tokenId',
    permit('operator.revoke-token'),
    async (ctx) => {
      const { _id: targetId } = await findOperator(models, param(ctx, 'operatorId'));
      const tokenId = param(ctx, 'tokenId');
      const operator = await deed(
        deps,
        ctx,
        { action: 'operator.revoke-token', partnerId: null, targetId, details: { tokenId } },
        () => revokeOperatorToken(deps, targetId, tokenId),
      );
      ctx.body = presentOperator(operator);
    },
  );
}
