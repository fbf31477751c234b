import type { PortalMiddleware } from '../context.ts';
import { askForSecondFactor } from './ask-for-second-factor.ts';

/** How long a second factor that was given holds. */
const secondFactorMs = 15 * 60_000;

/** Whether the second factor of a session was given within the last quarter of an hour. */
export function isFresh(
  { secondFactorAt }: { secondFactorAt: Date | null },
  nowMs: number,
): boolean {
  return secondFactorAt !== null && nowMs - secondFactorAt.getTime() < secondFactorMs;
}

/** Asks for the second factor, or to enroll one first, and leads back. */
export function secondFactor(now: () => number): PortalMiddleware {
  return async (ctx, next) => {
    const { viewer } = ctx.state;
    if (viewer && isFresh(viewer.session, now())) return await next();
    askForSecondFactor(ctx);
  };
}
