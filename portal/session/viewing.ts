import { ServiceError } from '../../domain/errors.ts';
import type { SessionDoc } from '../../models/schemas/people.ts';
import { type AuditedRead, auditRead } from '../../operations/audit-log.ts';
import { execute } from '../../operations/execute.ts';
import { endViewing, type ViewingEnd } from '../../operations/viewing.ts';
import type { PageContext, Viewer, ViewingOperator } from '../context.ts';
import type { PortalDeps } from '../deps.ts';
import type { ParamKind } from '../routing/params.ts';
import type { Route } from '../routing/route.ts';

export const leavePath = '/leave-view';

/** The only POSTs open to an operator who is viewing a partner's portal. */
const exits = [leavePath, '/sign-out'];
/** The only pages of the operator's own account that stay open meanwhile. */
const openWhileViewing = ['/', ...exits];

/** The operator who is viewing as a partner's user; undefined for anyone else. */
export const viewingOperatorOf = (viewer: Viewer | null): ViewingOperator | undefined =>
  viewer?.kind === 'partner' ? viewer.operator : undefined;

/** Keeps a view of a partner's portal read-only. @throws ServiceError FORBIDDEN */
export function requireReadOnly(
  viewer: Viewer | null,
  { method, path }: { method: string; path: string },
): void {
  const isRead = method === 'GET' || method === 'HEAD';
  if (viewingOperatorOf(viewer) && !isRead && !exits.includes(path)) {
    throw new ServiceError(
      'FORBIDDEN',
      'You are viewing the portal as a partner and can’t change anything. Stop viewing to continue as an operator.',
    );
  }
}

export const isOpenToViewing = (path: string): boolean => openWhileViewing.includes(path);

/** Ends a view on the operator's behalf; ending it twice is harmless. */
export async function leaveView(
  deps: PortalDeps,
  { _id: sessionId }: SessionDoc,
  { actorId: id, role }: ViewingOperator,
  requestId: string,
  end: ViewingEnd,
): Promise<void> {
  const actor = { kind: 'operator', id, role, requestId, factor: null } as const;
  await execute(deps, endViewing, actor, { sessionId, end }).catch((error: unknown) => {
    if (!(error instanceof ServiceError && error.code === 'CONFLICT')) throw error;
  });
}

/** Reads of a customer's data that the operators' own pages audit too, by kind of id. */
const auditedReads: Partial<Record<ParamKind, AuditedRead>> = {
  event: 'event.read',
  reward: 'event.read',
  request: 'event.read',
  customer: 'customer.read',
};

/**
 * Records in the audit log that customer data was read, as the operators' own pages do, or that a list was
 * downloaded.
 */
export async function auditViewedData(
  deps: PortalDeps,
  { state, params }: Pick<PageContext, 'state' | 'params'>,
  { actorId: id }: ViewingOperator,
  { path, params: kinds }: Pick<Route, 'path' | 'params'>,
): Promise<void> {
  const { viewer, requestId } = state;
  const partnerId = viewer?.kind === 'partner' ? viewer.partner._id : null;
  if (path.endsWith('.csv')) {
    const taken = { action: 'export.read', partnerId, targetId: null } as const;
    await auditRead(deps, { id, requestId }, { ...taken, details: { file: path } });
  }
  for (const [name, kind] of Object.entries(kinds)) {
    const action = auditedReads[kind];
    const targetId = params[name] ?? null;
    if (action) await auditRead(deps, { id, requestId }, { action, partnerId, targetId });
  }
}
