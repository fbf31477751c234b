import { type OperatorActor, system } from '../../operations/actor.ts';
import type { AuditDeps } from '../../operations/deps.ts';
import type { Operation } from '../../operations/operation.ts';
import { type IdKind, newId } from '../../platform/ids.ts';

/** An operator who asks by a bearer token. */
export const asOperator = (id: string, role: OperatorActor['role'] = 'admin'): OperatorActor => ({
  ...{ kind: 'operator', id, role, requestId: 'req_test', factor: 'TOKEN' },
});

/**
 * What an operation does by itself, for a stage: nobody is asked, and the audit log stays as it is.
 * @param how in whose name, where that matters, and under which ids
 */
export async function operate<Input, Outcome, Found, Deps, Approval>(
  deps: Deps & AuditDeps,
  { find, run }: Operation<Input, Outcome, Found, Deps, Approval>,
  input: Input,
  { as, ids = {} }: { as?: string; ids?: Partial<Record<IdKind, string>> } = {},
): Promise<Outcome> {
  const actor = as === undefined ? system('test') : asOperator(as);
  const found = await find(deps, input, actor);
  const idOf = (kind: IdKind) => ids[kind] ?? newId(kind);
  return await run(deps, input, { actor, approvedBy: null, facts: null, found, idOf });
}
