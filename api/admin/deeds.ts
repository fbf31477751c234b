import type { MovingAction, OtherAction } from '../../models/commands/actions.ts';
import { newId } from '../../platform/ids.ts';
import type { ApiDeps } from '../deps.ts';
import type { AdminContext } from './context.ts';

interface What {
  targetId: string;
  partnerId: string | null;
  /** What a reader wants to know of it; never a secret, never a customer. */
  details?: Record<string, unknown>;
}

/** What an operator did to what. */
export interface Deed extends What {
  action: OtherAction;
}

/** What an operator moved, under a reference. */
export interface MovingDeed extends What {
  action: MovingAction;
  details: { reference: string } & Record<string, unknown>;
}

type DeedDeps = Pick<ApiDeps, 'models' | 'now'>;

/** Leaves the entry of a write in the audit trail, before the write is answered. */
export async function recordDeed(deps: DeedDeps, ctx: AdminContext, deed: Deed): Promise<void> {
  await insertEntry(deps, ctx, deed);
}

/**
 * Leaves the entry of a movement of money or points. A repeat under the same reference moves nothing,
 * and leaves an entry only where the process of the first ended before it could.
 * @param isNew whether this request moved it, and no earlier one
 */
export async function recordDeedOnce(
  deps: DeedDeps,
  ctx: AdminContext,
  deed: MovingDeed,
  isNew: boolean,
): Promise<void> {
  const { partnerId, action, targetId, details } = deed;
  const same = { partnerId, action, targetId, 'details.reference': details.reference };
  if (!isNew && (await deps.models.auditEntries.exists(same))) return;
  await insertEntry(deps, ctx, deed);
}

async function insertEntry(
  { models, now }: DeedDeps,
  ctx: AdminContext,
  { action, targetId, partnerId, details = {} }: Deed | MovingDeed,
): Promise<void> {
  const { admin, requestId } = ctx.state;
  await models.auditEntries.create({
    _id: newId('audit'),
    adminId: admin.adminId,
    action,
    partnerId,
    targetId,
    details,
    requestId,
    at: new Date(now()),
  });
}
