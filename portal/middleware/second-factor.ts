import { type KeptFormDeps, keepForm } from '../../models/identity/kept-forms.ts';
import type { PortalMiddleware } from '../context.ts';
import { withoutSecrets } from '../forms/submit.ts';
import { askForSecondFactor, pathBefore } from './ask-for-second-factor.ts';

/** How long a second factor that was given holds. */
const secondFactorMs = 15 * 60_000;

/** Whether the second factor of a session was given within the last quarter of an hour. */
export function isFresh(
  { secondFactorAt }: { secondFactorAt: Date | null },
  nowMs: number,
): boolean {
  return secondFactorAt !== null && nowMs - secondFactorAt.getTime() < secondFactorMs;
}

/** Asks for the second factor, or to enroll one first, and leads back to what was asked for, as it was typed. */
export function secondFactor(deps: KeptFormDeps): PortalMiddleware {
  return async (ctx, next) => {
    const { viewer } = ctx.state;
    if (viewer && isFresh(viewer.session, deps.now())) return await next();
    const { form } = ctx.state;
    if (viewer && form) {
      await keepForm(deps, viewer.session, pathBefore(ctx), withoutSecrets(form));
    }
    askForSecondFactor(ctx);
  };
}
