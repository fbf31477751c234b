import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import { rehearsalLimits } from '../../domain/rehearsal.ts';
import { findRehearsal, readReport, startRehearsal } from '../../models/rehearsals.ts';
import type { RehearsalDoc } from '../../models/schemas/rehearsals.ts';
import { newToken } from '../../platform/hashing.ts';
import { type ApiContext, type ApiMiddleware, type BodyHandler, requireState } from '../context.ts';
import type { ApiDeps } from '../deps.ts';

type Deps = Pick<ApiDeps, 'models' | 'now'>;

export const rehearsalRequestSchema = Joi.object<{ minutes: number }, true>({
  minutes: Joi.number()
    .integer()
    .min(1)
    .max(rehearsalLimits.maxMinutes)
    .default(rehearsalLimits.usualMinutes),
})
  .required()
  .label('body');

/**
 * POST test/rehearsals: makes TEST hard for the key that signs it. While a rehearsal is on, it answers that one.
 * @throws ServiceError NOT_FOUND in LIVE
 */
export function postRehearsal({ models, now }: Deps): BodyHandler<{ minutes: number }> {
  return async (ctx, { minutes }) => {
    const { partnerId, integrationId, credentialId } = requireTest(ctx);
    const key = { partnerId, integrationId, credentialId };
    const options = { minutes, seed: newToken(), now: new Date(now()) };
    const rehearsal = await startRehearsal(models, key, options);
    ctx.status = 201;
    ctx.body = await present(models, rehearsal, now());
  };
}

/** GET test/rehearsals/{rehearsalId}: how the integration did. @throws ServiceError NOT_FOUND */
export function getRehearsal({ models, now }: Deps): ApiMiddleware {
  return async (ctx) => {
    const { partnerId, credentialId } = requireTest(ctx);
    const found = await findRehearsal(models, partnerId, ctx.params.rehearsalId ?? '');
    if (found === null || found.credentialId !== credentialId) {
      throw new ServiceError('NOT_FOUND', 'This key has no rehearsal with this id.');
    }
    ctx.body = await present(models, found, now());
  };
}

function requireTest(ctx: ApiContext) {
  const principal = requireState(ctx, 'principal');
  if (principal.mode === 'TEST') return principal;
  throw new ServiceError('NOT_FOUND', 'Only TEST can be rehearsed. Sign with a TEST key.');
}

async function present(models: Deps['models'], rehearsal: RehearsalDoc, nowMs: number) {
  const { _id: id, startedAt, endsAt } = rehearsal;
  return {
    success: true,
    mode: 'TEST',
    rehearsal: {
      id,
      status: endsAt.getTime() > nowMs ? 'RUNNING' : 'ENDED',
      startedAt: startedAt.toISOString(),
      endsAt: endsAt.toISOString(),
      report: await readReport(models, rehearsal, nowMs),
    },
  };
}
