import { ServiceError } from '../domain/errors.ts';
import { type GraveAction, needsTwo } from '../domain/four-eyes.ts';
import { isReferencedAction } from '../models/commands/actions.ts';
import { noteCarriedOut } from '../models/commands/decide-proposal.ts';
import { carryOut, type Deed, type Doer, isReferencedDeed } from '../models/commands/deeds.ts';
import { openProposal, type Proposed, propose, wasCarriedOut } from '../models/commands/propose.ts';
import type { ProposalDoc } from '../models/schemas/proposal.ts';
import { type IdKind, idAfter, newId } from '../platform/ids.ts';
import type { DeedsDeps } from './deps.ts';
import type { Asked, Done, Outcome, Undertaking } from './undertaking.ts';
import { createUndertakings } from './undertakings.ts';

/** What came of something grave: it is done, or another operator has to approve it. */
export type Undertaken<A extends GraveAction> =
  | { isDone: true; outcome: Outcome<A> }
  | { isDone: false; proposal: ProposalDoc };

const erased = 'The customer was erased, and with it what was proposed. Propose it anew.';

export type FourEyes = ReturnType<typeof createFourEyes>;

/**
 * What moves money or opens LIVE needs two operators (domain, Who may do what): one proposes, another
 * approves. What a proposal does is what would have been done at once.
 */
export function createFourEyes(deps: DeedsDeps) {
  const { config } = deps;
  const undertakings = createUndertakings(deps);

  /** @param proposal that was approved, where it needed two */
  async function carryOutDeed<A extends GraveAction>(
    action: A,
    asked: Asked<A>,
    doer: Doer,
    proposal?: ProposalDoc,
  ): Promise<Outcome<A>> {
    const { deedOf, command, completionOf }: Undertaking<A> = undertakings[action];
    const deed = deedOf(asked, doer);
    const idOf = (kind: IdKind) => (proposal ? idAfter(kind, proposal._id) : newId(kind));
    return await carryOut(
      deps,
      doer,
      proposal ? ofProposal(deed, proposal) : deed,
      () => command(asked, { doer, idOf }),
      completionOf,
    );
  }

  return {
    /**
     * Does something grave, or proposes it.
     * @param asked its checked arguments
     * @throws ServiceError VALIDATION_FAILED, or whatever its command refuses
     */
    async undertake<A extends GraveAction>(
      action: A,
      asked: Asked<A>,
      doer: Doer,
    ): Promise<Undertaken<A>> {
      const { problemOf, matterOf, deedOf, customerOf }: Undertaking<A> = undertakings[action];
      const problem = problemOf?.(asked);
      if (problem !== undefined) throw new ServiceError('VALIDATION_FAILED', problem);
      const isAlone = !needsTwo(config.fourEyes, await matterOf(asked));
      const { partnerId, targetId, details = {} } = deedOf(asked, doer);
      const customerKey = customerOf?.(asked).customerKey ?? null;
      const proposed = { action, partnerId, targetId, customerKey, details, arguments: asked };
      const isRepeat =
        isReferencedAction(action) && !isAlone && (await wasCarriedOut(deps, proposed));
      return isAlone || isRepeat
        ? { isDone: true, outcome: await carryOutDeed(action, asked, doer) }
        : { isDone: false, proposal: await proposeDeed(doer, proposed) };
    },

    /**
     * Does what was approved, under both names, and notes that it is done.
     * @returns null beside the proposal where it was done before
     * @throws ServiceError whatever its command refuses; CONFLICT where its customer was erased
     */
    async carryOutProposal(
      proposal: ProposalDoc,
      { actorId, requestId }: Doer,
    ): Promise<{ proposal: ProposalDoc; done: Done | null }> {
      if (proposal.carriedOutAt) return { proposal, done: null };
      const { action, proposedBy } = proposal;
      const asked = (await openProposal(deps, proposal)) as Asked<GraveAction> | null;
      if (asked === null) throw new ServiceError('CONFLICT', erased);
      const doer = { actorId: proposedBy, approvedBy: actorId, requestId };
      const outcome = await carryOutDeed(action, asked, doer, proposal);
      const done = { action, asked, outcome } as Done;
      return { proposal: await noteCarriedOut(deps, proposal), done };
    },
  };

  async function proposeDeed(doer: Doer, proposed: Proposed): Promise<ProposalDoc> {
    const { action, partnerId, targetId, details } = proposed;
    const { proposal } = await carryOut(
      deps,
      doer,
      {
        ...{ action: 'proposal.create', partnerId, targetId: null },
        details: { action, target: targetId, ...details },
      },
      () => propose(deps, doer.actorId, proposed),
      ({ proposal: { _id } }) => ({ targetId: _id }),
    );
    return proposal;
  }
}

/** A repeat of the approval is the same deed. What has a reference is named by it already. */
function ofProposal(what: Deed, { _id: once }: ProposalDoc): Deed {
  return isReferencedDeed(what) ? what : { ...what, once };
}
