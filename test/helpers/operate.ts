import { type OperatorActor, system, type UserActor } from '../../operations/actor.ts';
import type { AuditLogDeps } from '../../operations/deps.ts';
import type { Operation } from '../../operations/operation.ts';
import { type IdKind, newId } from '../../platform/ids.ts';

/** An operator authenticated by a bearer token. */
export const asOperator = (id: string, role: OperatorActor['role'] = 'admin'): OperatorActor => ({
  kind: 'operator',
  id,
  role,
  requestId: 'req_test',
  factor: 'TOKEN',
});

/** An owner of a partner, who has just given the second factor. */
export const ownerOf = (partnerId: string): UserActor => ({
  kind: 'user',
  id: newId('user'),
  partnerId,
  role: 'owner',
  requestId: 'req_test',
  factor: new Date(),
});

/**
 * Runs an operation to set up a test, without permission, approval or audit entry.
 * @param options `as`: the operator's id, if it matters; `ids`: ids for new documents
 */
export async function operate<Input, Outcome, Found, Deps, Approval>(
  deps: Deps & AuditLogDeps,
  { find, run }: Operation<Input, Outcome, Found, Deps, Approval>,
  input: Input,
  { as, ids = {} }: { as?: string; ids?: Partial<Record<IdKind, string>> } = {},
): Promise<Outcome> {
  const actor = as === undefined ? system('test') : asOperator(as);
  const found = await find(deps, input, actor);
  const idOf = (kind: IdKind) => ids[kind] ?? newId(kind);
  return await run(deps, input, { actor, approvedBy: null, shown: null, found, idOf });
}
