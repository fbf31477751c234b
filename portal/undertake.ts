import type { FourEyes } from '../deeds/four-eyes.ts';
import type { Asked, Outcome } from '../deeds/undertaking.ts';
import type { GraveAction } from '../domain/four-eyes.ts';
import { type PageContext, redirect } from './context.ts';
import { doerOf } from './deeds.ts';
import { adminPaths } from './html/links.ts';

/**
 * Does something grave and goes on as `done` says; where another operator has to approve it, leads to
 * the proposal.
 */
export async function undertake<A extends GraveAction>(
  fourEyes: FourEyes,
  ctx: PageContext<'operator'>,
  action: A,
  asked: Asked<A>,
  done: (outcome: Outcome<A>) => void | Promise<void>,
): Promise<void> {
  const undertaken = await fourEyes.undertake(action, asked, doerOf(ctx));
  if (undertaken.isDone) return await done(undertaken.outcome);
  redirect(
    ctx,
    `${adminPaths.PROPOSAL}${undertaken.proposal._id}`,
    'It is proposed. Nothing happens before another operator approves it.',
  );
}
