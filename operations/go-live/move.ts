import { ServiceError } from '../../domain/errors.ts';
import { type GoLiveMove, goLiveChecklist, goLiveMove } from '../../domain/go-live.ts';
import { findPartner } from '../../models/identity/partners.ts';
import type { Models } from '../../models/schemas/index.ts';
import type { GoLive, PartnerDoc } from '../../models/schemas/partners.ts';
import { readGoLiveFacts } from '../../models/views/go-live-facts.ts';
import type { OperationDeps } from '../deps.ts';

export type GoLiveDeps = Pick<OperationDeps, 'models' | 'now'>;

/**
 * Writes one move towards LIVE, from a state that allows it.
 * @param changed further fields to write
 * @throws ServiceError CONFLICT in any other state, also if another operator was faster
 */
export async function moveGoLive(
  models: Models,
  { _id, goLive }: PartnerDoc,
  move: GoLiveMove,
  changed: Partial<GoLive>,
): Promise<PartnerDoc> {
  const { from, to } = goLiveMove(move);
  const moved = await models.partners.findOneAndUpdate(
    { _id, 'goLive.state': { $in: from }, ...(to !== 'CHANGES_REQUESTED' && notSuspended) },
    { $set: { goLive: { ...goLive, ...changed, state: to } } },
    { returnDocument: 'after' },
  );
  if (moved) return moved;
  const { status, goLive: now } = await findPartner(models, _id);
  const found = status === 'SUSPENDED' ? 'suspended' : now.state;
  throw new ServiceError('CONFLICT', `${_id} is ${found}; it must be ${from.join(' or ')}.`);
}

const notSuspended = { status: { $ne: 'SUSPENDED' } } as const;

/** @throws ServiceError CONFLICT naming everything that is missing except the approval */
export async function requireReady(deps: GoLiveDeps, partner: PartnerDoc): Promise<void> {
  const { isReady, items } = goLiveChecklist(await readGoLiveFacts(deps, partner));
  if (isReady) return;
  const missing = items.flatMap(({ requirement, missing }) =>
    requirement === 'APPROVAL' || missing === null ? [] : [missing],
  );
  throw new ServiceError('CONFLICT', `${partner._id} is not ready. ${missing.join(' ')}`);
}
