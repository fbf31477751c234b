import { ServiceError } from '../../domain/errors.ts';
import { type GraveAction, type GraveMatter, needsTwo } from '../../domain/four-eyes.ts';
import { isReferencedAction } from '../../models/commands/actions.ts';
import { noteCarriedOut } from '../../models/commands/decide-proposal.ts';
import {
  type Completion,
  carryOut,
  type Deed,
  type Doer,
  isReferencedDeed,
} from '../../models/commands/deeds.ts';
import {
  openProposal,
  type Proposed,
  propose,
  wasCarriedOut,
} from '../../models/commands/propose.ts';
import type { OfCustomer } from '../../models/data-keys.ts';
import type { ProposalDoc } from '../../models/schemas/proposal.ts';
import { type IdKind, idAfter, newId } from '../../platform/ids.ts';
import type { ApiDeps } from '../deps.ts';
import type { AdminContext } from './context.ts';
import { deed, doerOf } from './deeds.ts';
import { presentProposal } from './present-proposal.ts';

/** Under whose name it is done, and under which ids. */
export interface By {
  doer: Doer;
  /** The id of what the command makes: of a proposal always the same, so that doing it again is safe. */
  idOf(kind: IdKind): string;
}

export interface Answer {
  status: number;
  body: object;
}

/**
 * How something grave is done: the same way at once, and once it is approved. Its arguments are all
 * that it needs, checked; JSON, and never a secret.
 */
export interface Undertaking<Arguments, Outcome> {
  /** What decides whether it needs two. */
  matterOf(asked: Arguments): GraveMatter | Promise<GraveMatter>;
  /** What the trail keeps of it, and the other operators read in the list of proposals. */
  deedOf(asked: Arguments, doer: Doer): Deed;
  /** Safe to repeat, under the same reference or the same ids. */
  command(asked: Arguments, by: By): Promise<Outcome>;
  answerTo(outcome: Outcome, asked: Arguments): Answer | Promise<Answer>;
  /** Where the arguments may say something of a customer: whose they are. */
  customerOf?(asked: Arguments): OfCustomer;
  completionOf?(outcome: Outcome): Completion;
}

type Undertake = (asked: unknown, doer: Doer, proposal: ProposalDoc | undefined) => Promise<Answer>;

export type FourEyesGuard = ReturnType<typeof createFourEyes>;

const erased = 'The customer was erased, and with it what was proposed. Propose it anew.';

/**
 * What moves money or opens LIVE needs two operators (domain, Who may do what): one proposes, another
 * approves. What a proposal does is what its route would have done at once.
 */
export function createFourEyes(deps: ApiDeps) {
  const { config } = deps;
  const undertakings = new Map<GraveAction, Undertake>();

  return {
    /**
     * @returns what a route calls: it answers with the outcome, or with 202 and the proposal where
     *   another operator has to approve
     */
    guard<Arguments, Outcome>(
      action: GraveAction,
      undertaking: Undertaking<Arguments, Outcome>,
    ): (ctx: AdminContext, asked: Arguments) => Promise<void> {
      const { matterOf, deedOf, command, answerTo, completionOf, customerOf } = undertaking;

      async function undertake(
        asked: Arguments,
        doer: Doer,
        proposal?: ProposalDoc,
      ): Promise<Answer> {
        const idOf = (kind: IdKind) => (proposal ? idAfter(kind, proposal._id) : newId(kind));
        const outcome = await carryOut(
          deps,
          doer,
          proposal ? ofProposal(deedOf(asked, doer), proposal) : deedOf(asked, doer),
          () => command(asked, { doer, idOf }),
          completionOf,
        );
        return await answerTo(outcome, asked);
      }

      undertakings.set(action, (asked, ...by) => undertake(asked as Arguments, ...by));
      return async (ctx, asked) => {
        const isAlone = !needsTwo(config.fourEyes, await matterOf(asked));
        const { partnerId, targetId, details = {} } = deedOf(asked, doerOf(ctx));
        const customerKey = customerOf?.(asked).customerKey ?? null;
        const proposed = { action, partnerId, targetId, customerKey, details, arguments: asked };
        const isRepeat =
          isReferencedAction(action) && !isAlone && (await wasCarriedOut(deps, proposed));
        if (isAlone || isRepeat) {
          const { status, body } = await undertake(asked, doerOf(ctx));
          Object.assign(ctx, { status, body });
        } else {
          await answerWithProposal(ctx, proposed);
        }
      };
    },

    /** Does what was approved, under both names, and notes that it is done. */
    async carryOutProposal(
      ctx: AdminContext,
      proposal: ProposalDoc,
    ): Promise<{ proposal: ProposalDoc; result: object | null }> {
      if (proposal.carriedOutAt) return { proposal, result: null };
      const { action, proposedBy } = proposal;
      const undertake = undertakings.get(action);
      if (!undertake) throw new Error(`nothing carries ${action} out`);
      const asked = await openProposal(deps, proposal);
      if (asked === null) throw new ServiceError('CONFLICT', erased);
      const { actorId, requestId } = doerOf(ctx);
      const doer = { actorId: proposedBy, approvedBy: actorId, requestId };
      const { body } = await undertake(asked, doer, proposal);
      return { proposal: await noteCarriedOut(deps, proposal), result: body };
    },
  };

  async function answerWithProposal(ctx: AdminContext, proposed: Proposed): Promise<void> {
    const { action, partnerId, details } = proposed;
    const { proposal } = await deed(
      deps,
      ctx,
      {
        action: 'proposal.create',
        partnerId,
        targetId: null,
        details: { action, target: proposed.targetId, ...details },
      },
      () => propose(deps, ctx.state.admin.adminId, proposed),
      ({ proposal: { _id } }) => ({ targetId: _id }),
    );
    ctx.status = 202;
    ctx.body = { proposal: presentProposal(deps, proposal) };
  }
}

/** A repeat of the approval is the same deed. What has a reference is named by it already. */
function ofProposal(what: Deed, { _id: once }: ProposalDoc): Deed {
  return isReferencedDeed(what) ? what : { ...what, once };
}
