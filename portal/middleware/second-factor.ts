import { isFresh } from '../../domain/partners.ts';
import { type KeptFormDeps, keepForm } from '../../models/identity/kept-forms.ts';
import type { PortalMiddleware } from '../context.ts';
import { withoutSecrets } from '../forms/submit.ts';
import { askForSecondFactor, pathBefore } from './ask-for-second-factor.ts';

/** Requires a recent second factor; afterwards the user returns to the form as they filled it in. */
export function secondFactor(deps: KeptFormDeps): PortalMiddleware {
  return async (ctx, next) => {
    const { viewer } = ctx.state;
    if (viewer && isFresh(viewer.session.secondFactorAt, deps.now())) return await next();
    const { form } = ctx.state;
    if (viewer && form) {
      await keepForm(deps, viewer.session, pathBefore(ctx), withoutSecrets(form));
    }
    askForSecondFactor(ctx);
  };
}
