import { ServiceError } from '../../domain/errors.ts';
import type { SessionDoc } from '../../models/schemas/session.ts';
import { type AuditedRead, auditRead } from '../../operations/audit-log.ts';
import { execute } from '../../operations/execute.ts';
import { endViewing, type ViewingEnd } from '../../operations/viewing/end.ts';
import type { PageContext, Viewer, ViewingOperator } from '../context.ts';
import type { PortalDeps } from '../deps.ts';
import type { ParamKind } from '../routing/params.ts';
import type { Route } from '../routing/route.ts';
import { say } from '../words/say.ts';

export const leavePath = '/leave-view';

/** What an operator who looks at a partner's portal can still send. */
const ways = [leavePath, '/sign-out'];
/** What is about the operator's own account stays shut meanwhile, but for the ways out. */
const openMeanwhile = ['/', ...ways];

/** The operator behind who looks; undefined for who looks for themselves. */
export const behind = (viewer: Viewer | null): ViewingOperator | undefined =>
  viewer?.kind === 'partner' ? viewer.operator : undefined;

/** Nothing is changed by who looks at a partner's portal. @throws ServiceError FORBIDDEN */
export function requireReading(
  viewer: Viewer | null,
  { method, path }: { method: string; path: string },
): void {
  const isRead = method === 'GET' || method === 'HEAD';
  if (behind(viewer) && !isRead && !ways.includes(path)) {
    throw new ServiceError('FORBIDDEN', say('error.readOnly'));
  }
}

export const isOpenToViewing = (path: string): boolean => openMeanwhile.includes(path);

/** Ends a view, in the operator's name; one that is over already stays so. */
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

/** Whose entries the operators' own pages leave, too: there is a customer behind each. */
const looks: Partial<Record<ParamKind, AuditedRead>> = {
  event: 'event.read',
  request: 'event.read',
  customer: 'customer.read',
};

/** Leaves an entry of a look at a customer's data, as the operators' own pages do, and of a list that is taken home. */
export async function auditLook(
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
    const action = looks[kind];
    const targetId = params[name] ?? null;
    if (action) await auditRead(deps, { id, requestId }, { action, partnerId, targetId });
  }
}
