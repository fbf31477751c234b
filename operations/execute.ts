import { ServiceError } from '../domain/errors.ts';
import type { Mode } from '../domain/mode.ts';
import { may, permittedRoles } from '../domain/operators.ts';
import { isFresh, type PartnerPermission, partnerMay } from '../domain/partners.ts';
import type { ProposalDoc } from '../models/schemas/audit.ts';
import { takeAction } from '../models/store/action-quotas.ts';
import { newId } from '../platform/ids.ts';
import { check } from '../platform/validation.ts';
import type { Actor, OperatorActor, SystemActor, UserActor } from './actor.ts';
import { type AuditTarget, audited, isReferenced } from './audit-log.ts';
import type { ApprovalDeps, AuditLogDeps } from './deps.ts';
import {
  type AnyOperation,
  isSensitive,
  ownAccount,
  type PlainOperation,
  type RunContext,
  type SensitiveOperation,
} from './operation.ts';
import { propose, wasCarriedOut } from './proposals.ts';

/** The result of an operation that can need a second operator. */
export type Executed<Outcome> =
  | { isDone: true; outcome: Outcome }
  | { isDone: false; proposal: ProposalDoc };

/**
 * Runs an operation for an actor: checks the permission, the second factor and the input, asks for a second
 * operator where the approval policy says so, and writes the audit entry before and after. An operator whose
 * operation needs approval gets a proposal instead of an outcome. Users and the system need no approval.
 * @param given unchecked input
 * @throws ServiceError FORBIDDEN, VALIDATION_FAILED, NOT_FOUND, RATE_LIMITED for one's own account, or what the
 *   operation itself throws
 */
export async function execute<Input, Outcome, Found, Deps>(
  deps: Deps & AuditLogDeps,
  operation: PlainOperation<Input, Outcome, Found, Deps>,
  actor: Actor,
  given: Input,
): Promise<Outcome>;
export async function execute<Input, Outcome, Found, Deps, Needed>(
  deps: Deps & AuditLogDeps,
  operation: SensitiveOperation<Input, Outcome, Found, Deps, Needed>,
  actor: UserActor | SystemActor,
  given: Input,
): Promise<Outcome>;
export async function execute<Input, Outcome, Found, Deps, Needed>(
  deps: Deps & ApprovalDeps,
  operation: SensitiveOperation<Input, Outcome, Found, Deps, Needed>,
  actor: OperatorActor,
  given: Input,
): Promise<Executed<Outcome>>;
export async function execute(
  deps: AuditLogDeps & Partial<ApprovalDeps>,
  operation: AnyOperation,
  actor: Actor,
  given: object,
): Promise<unknown> {
  requirePermission(operation, actor);
  if (operation.secondFactor === 'ALWAYS') requireFreshFactor(actor, deps.now());
  const input = check(operation.input, given);
  const found = await operation.find(deps, input, actor);
  requireAccess(operation, actor, input, found, deps.now());
  const target = operation.audit(input, found, actor);
  const by: RunContext<unknown> = { actor, approvedBy: null, shown: null, found, idOf: newId };
  if (actor.kind !== 'system' && isForEveryone(operation)) {
    await takeAction(deps.models, { action: operation.name, actorId: actor.id }, deps.now());
  }
  if (!isSensitive(operation) || actor.kind !== 'operator') {
    return await runAudited(deps, operation, input, by, target);
  }
  const { config, sealer } = deps;
  if (!config || !sealer) {
    throw new Error(
      `${operation.name} can need approval, so it needs the configuration and the sealer`,
    );
  }
  const { approval } = operation;
  const shown = await approval.shown(deps, input, found, actor);
  const proposed = {
    action: operation.name,
    ...target,
    details: target.details ?? {},
    customerId: approval.customerOf?.(found).customerId ?? null,
    input,
    shown,
  };
  const moved = (await approval.movedAlone?.(deps, shown, actor)) ?? 0;
  const needsTwo = approval.needed(shown, config.approvals, moved);
  const isOff = needsTwo && !config.approvals.isOn;
  const isDone =
    !needsTwo ||
    isOff ||
    (isReferenced(target) && (await wasCarriedOut({ ...deps, config }, proposed)));
  if (isDone) {
    const isAlone = isOff ? ({ isAlone: true } as const) : {};
    const outcome = await runAudited(deps, operation, input, { ...by, shown, ...isAlone }, target);
    return { isDone, outcome };
  }
  await approval.possible?.(deps, input, found);
  return { isDone, proposal: await propose({ ...deps, config, sealer }, actor, proposed) };
}

/** Runs an operation that was allowed, with its audit entry written before and completed after. */
export async function runAudited(
  deps: AuditLogDeps,
  operation: AnyOperation,
  input: object,
  by: RunContext<unknown>,
  target: AuditTarget,
): Promise<unknown> {
  const { actor, approvedBy, isAlone } = by;
  return await audited(
    deps,
    { actorId: actor.id, approvedBy, requestId: actor.requestId, ...(isAlone && { isAlone }) },
    { action: operation.name, ...target },
    () => operation.run(deps, input, by),
    operation.completion,
  );
}

/** Checks the role, before anything is read. @throws ServiceError FORBIDDEN */
function requirePermission({ name, permission }: AnyOperation, actor: Actor): void {
  if (actor.kind === 'system' || permission === ownAccount) return;
  if (actor.kind === 'operator') {
    if (permission.operator !== null && may(actor.role, permission.operator)) return;
    const allowed = permission.operator
      ? permittedRoles[permission.operator].join(' or ')
      : 'no operator';
    throw new ServiceError(
      'FORBIDDEN',
      `Your role is ${actor.role}, but ${name} requires ${allowed}.`,
    );
  }
  const { user } = permission;
  const permissions = user === null ? [] : typeof user === 'string' ? [user] : Object.values(user);
  if (permissions.some((one) => partnerMay(actor.role, one))) return;
  throw roleNotAllowed(actor);
}

/** Whether every operator or user may do it, mostly on their own account: only a limit keeps them from a flood. */
function isForEveryone({ permission }: AnyOperation): boolean {
  if (permission === ownAccount) return true;
  const { operator, user } = permission;
  if (operator !== null && may('viewer', operator)) return true;
  return typeof user === 'string' && partnerMay('viewer', user);
}

/**
 * Checks what depends on the target: users act only on their own partner's records, and LIVE can need another
 * permission and a fresh second factor.
 * @throws ServiceError NOT_FOUND, FORBIDDEN
 */
function requireAccess(
  operation: AnyOperation,
  actor: Actor,
  input: object,
  found: unknown,
  nowMs: number,
): void {
  const { permission, secondFactor } = operation;
  if (actor.kind === 'user' && operation.audit(input, found, actor).partnerId !== actor.partnerId) {
    throw new ServiceError('NOT_FOUND', 'Nothing with this id belongs to you.');
  }
  if (secondFactor === 'LIVE' && modeOf(input, found) === 'LIVE') requireFreshFactor(actor, nowMs);
  if (actor.kind !== 'user' || permission === ownAccount) return;
  const { user } = permission;
  if (user === null || typeof user === 'string') return;
  const byMode: Record<Mode, PartnerPermission> = user;
  if (!partnerMay(actor.role, byMode[modeOf(input, found)])) throw roleNotAllowed(actor);
}

/** The mode of the target, or of the record to be created. */
function modeOf(input: object, found: unknown): Mode {
  const { mode } = { ...input, ...(found as object) } as { mode?: Mode };
  if (mode === undefined) throw new Error('neither the input nor the target has a mode');
  return mode;
}

/** @throws ServiceError FORBIDDEN */
export function requireFreshFactor(actor: Actor, nowMs: number): void {
  if (actor.kind === 'system' || actor.factor === 'TOKEN' || isFresh(actor.factor, nowMs)) return;
  throw new FactorDueError();
}

/** An operation takes a second factor that was given recently. */
export class FactorDueError extends ServiceError {
  constructor() {
    super('FORBIDDEN', 'Confirm your second factor first.');
  }
}

function roleNotAllowed({ role }: UserActor): ServiceError {
  return new ServiceError(
    'FORBIDDEN',
    `Your role is ${role}, which does not allow this. Ask a teammate whose role does.`,
  );
}
