import { type GraveAction, proposalLifeMs } from '../../domain/four-eyes.ts';
import { sha256Hex } from '../../platform/hashing.ts';
import { newId } from '../../platform/ids.ts';
import { openSealed, sealForCustomer } from '../data-keys.ts';
import { insertOnce } from '../insert-once.ts';
import type { ProposalDoc } from '../schemas/proposal.ts';
import type { CommandDeps } from './deps.ts';

/** What is proposed. */
export interface Proposed {
  action: GraveAction;
  partnerId: string | null;
  targetId: string | null;
  /** Whose customer the arguments may speak of; null for nobody's. */
  customerKey: string | null;
  /** What names it; never a secret, never a customer. The same details are the same proposal. */
  details: Record<string, unknown>;
  /** The checked arguments of its command; never a secret. */
  arguments: unknown;
}

const maxRaces = 10;

/**
 * Proposes a deed to the other operators. While a proposal of the same is open, that one is found.
 * @returns the proposal, and whether this call made it
 */
export async function propose(
  deps: CommandDeps,
  proposedBy: string,
  what: Proposed,
): Promise<{ proposal: ProposalDoc; isNew: boolean }> {
  const { models, now } = deps;
  const { action, partnerId, targetId, customerKey, details } = what;
  const sameAs = sameAsOf(what);
  for (let race = 0; race < maxRaces; race++) {
    await expire(deps, what);
    const open = await models.proposals.findOne({ partnerId, sameAs, status: 'PROPOSED' }).lean();
    if (open) return { proposal: open, isNew: false };
    const _id = newId('proposal');
    const proposal: ProposalDoc = {
      ...{ _id, action, partnerId, targetId, customerKey, details, sameAs, proposedBy },
      sealedArguments: await sealArguments(deps, what, _id),
      status: 'PROPOSED',
      proposedAt: new Date(now()),
      expiresAt: new Date(now() + proposalLifeMs),
      decidedBy: null,
      decidedAt: null,
      reason: null,
      carriedOutAt: null,
    };
    if (await insertOnce(() => models.proposals.create(proposal))) {
      return { proposal, isNew: true };
    }
  }
  throw new Error('a proposal is neither there nor can it be made');
}

async function sealArguments(
  deps: CommandDeps,
  { partnerId, customerKey, arguments: asked }: Proposed,
  proposalId: string,
): Promise<string> {
  const text = JSON.stringify(asked);
  if (partnerId === null || customerKey === null) return deps.sealer.seal(text, proposalId);
  return await sealForCustomer(deps, { partnerId, customerKey }, text, proposalId);
}

/** @returns the arguments; null once the customer was erased of whom they spoke */
export async function openProposal(
  deps: Pick<CommandDeps, 'models' | 'sealer'>,
  { _id: context, partnerId, customerKey, sealedArguments: sealed }: ProposalDoc,
): Promise<unknown> {
  const isOfCustomer = partnerId !== null && customerKey !== null;
  const text = isOfCustomer
    ? await openSealed(deps, { partnerId, sealed, context })
    : deps.sealer.open(sealed, context);
  return text === null ? null : JSON.parse(text);
}

/** Whether the same was proposed, approved and done: under a reference, doing it again moves nothing. */
export async function wasCarriedOut(
  { models }: Pick<CommandDeps, 'models'>,
  what: Proposed,
): Promise<boolean> {
  const { partnerId } = what;
  const done = await models.proposals.exists({
    ...{ partnerId, sameAs: sameAsOf(what) },
    status: 'APPROVED',
    carriedOutAt: { $ne: null },
  });
  return done !== null;
}

/** Marks what nobody approved in time. */
async function expire(
  { models, now }: Pick<CommandDeps, 'models' | 'now'>,
  what: Proposed,
): Promise<void> {
  await models.proposals.updateOne(
    {
      partnerId: what.partnerId,
      sameAs: sameAsOf(what),
      status: 'PROPOSED',
      expiresAt: { $lte: new Date(now()) },
    },
    { $set: { status: 'EXPIRED' } },
  );
}

function sameAsOf({ action, targetId, details }: Proposed): string {
  return sha256Hex(JSON.stringify([action, targetId, Object.entries(details).toSorted()]));
}
