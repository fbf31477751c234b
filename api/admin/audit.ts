import { newId } from '../../platform/ids.ts';
import type { ApiDeps } from '../deps.ts';
import type { AdminContext } from './context.ts';

export interface Deed {
  /** What was done to what, such as `credential.revoke`. */
  action: string;
  targetId: string;
  partnerId: string | null;
  /** What a reader wants to know of it; never a secret, never a customer. */
  details?: Record<string, unknown>;
}

/** Leaves the entry of a write in the audit trail, before the write is answered. */
export async function audit(
  { models, now }: Pick<ApiDeps, 'models' | 'now'>,
  ctx: AdminContext,
  { action, targetId, partnerId, details = {} }: Deed,
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

/**
 * Leaves the entry of a write that may be repeated: a repeat leaves it only where the first did not
 * live to.
 */
export async function auditOnce(
  deps: Pick<ApiDeps, 'models' | 'now'>,
  ctx: AdminContext,
  deed: Deed & { details: { reference: string } & Record<string, unknown> },
  isNew: boolean,
): Promise<void> {
  const { partnerId, action, targetId, details } = deed;
  const same = { partnerId, action, targetId, 'details.reference': details.reference };
  if (!isNew && (await deps.models.auditEntries.exists(same))) return;
  await audit(deps, ctx, deed);
}
