import { createFourEyes } from '../../deeds/four-eyes.ts';
import type { Asked, Done, Outcome } from '../../deeds/undertaking.ts';
import type { GraveAction } from '../../domain/four-eyes.ts';
import type { ProposalDoc } from '../../models/schemas/proposal.ts';
import type { ApiDeps } from '../deps.ts';
import type { AdminContext } from './context.ts';
import { doerOf } from './deeds.ts';
import { presentProposal } from './present-proposal.ts';

export interface Answer {
  status: number;
  body: object;
}

type AnswerTo<A extends GraveAction> = (
  outcome: Outcome<A>,
  asked: Asked<A>,
) => Answer | Promise<Answer>;

export type FourEyesGuard = ReturnType<typeof createFourEyesGuard>;

/** How routes ask for what may need two operators, and what they answer. */
export function createFourEyesGuard(deps: ApiDeps) {
  const fourEyes = createFourEyes(deps);
  const answers: { [A in GraveAction]?: AnswerTo<A> } = {};

  async function answerOf<A extends GraveAction>({ action, outcome, asked }: Done<A>) {
    const answerTo: AnswerTo<A> | undefined = answers[action];
    if (!answerTo) throw new Error(`nothing answers ${action}`);
    return await answerTo(outcome, asked);
  }

  return {
    ...fourEyes,

    /**
     * @returns what a route calls: it answers with the outcome, or with 202 and the proposal where
     *   another operator has to approve
     */
    guard<A extends GraveAction>(
      action: A,
      answerTo: AnswerTo<A>,
    ): (ctx: AdminContext, asked: Asked<A>) => Promise<void> {
      Object.assign(answers, { [action]: answerTo });
      return async (ctx, asked) => {
        const undertaken = await fourEyes.undertake(action, asked, doerOf(ctx));
        const answer = undertaken.isDone
          ? await answerTo(undertaken.outcome, asked)
          : { status: 202, body: { proposal: presentProposal(deps, undertaken.proposal) } };
        Object.assign(ctx, answer);
      };
    },

    /** Does what was approved. @returns also what its route would have answered with; null for a repeat */
    async carryOutProposal(
      ctx: AdminContext,
      approved: ProposalDoc,
    ): Promise<{ proposal: ProposalDoc; result: object | null }> {
      const { proposal, done } = await fourEyes.carryOutProposal(approved, doerOf(ctx));
      return { proposal, result: done && (await answerOf(done)).body };
    },
  };
}
