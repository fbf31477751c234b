import type { ObjectSchema } from 'joi';
import type { ApprovalConfig } from '../domain/approvals.ts';
import type { Mode } from '../domain/mode.ts';
import type { Permission } from '../domain/operator-roles.ts';
import type { PartnerPermission } from '../domain/partner-roles.ts';
import type { OfCustomer } from '../models/store/data-keys.ts';
import type { IdKind } from '../platform/ids.ts';
import type { Actor } from './actor.ts';
import type { Completion, Target } from './audit-log.ts';
import type { OperationDeps } from './deps.ts';

/** What the facts of an approval are read with. */
export type FactDeps = Pick<OperationDeps, 'models' | 'ledger' | 'now'>;

/** What finding needs; a command that starts an installation has no more. */
export type FindDeps = Pick<OperationDeps, 'models'> & Partial<Pick<OperationDeps, 'config'>>;

/** Who may; null for nobody of a kind. A user's permission may depend on the mode of what is changed. */
export interface WhoMay {
  operator: Permission | null;
  user: PartnerPermission | Record<Mode, PartnerPermission> | null;
}

/** Their own session, password, second factor or token: everyone who is signed in. */
export const ownAccount = 'OWN_ACCOUNT';

export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [name: string]: Json };

/** What an approval is given for: shown to the second operator, and bound to it by its hash. */
export type Facts = { readonly [name: string]: Json };

/** What asks for a second operator. */
export interface ApprovalPolicy<Input, Found, Needed = never> {
  /** As they are now; whatever of them has changed by the approval ends the proposal. */
  facts(
    deps: FactDeps,
    input: Input,
    found: Found,
    actor: Actor,
  ): (Needed & Facts) | Promise<Needed & Facts>;
  /** What single operators moved today already, in cents, where that decides too. */
  movedAlone?(deps: FactDeps, facts: Needed & Facts, actor: Actor): Promise<number>;
  /** Whether these facts ask for it; asked where approvals are on. */
  needed(facts: Needed, limits: ApprovalConfig, movedAloneCents: number): boolean;
  /** Where the input may say something of a customer: whose key it is sealed under. */
  customerOf?(found: Found): OfCustomer;
}

/** Under whose name something is done, to what, and under which ids. */
export interface By<Found> {
  actor: Actor;
  /** The second operator, where the first one proposed it. */
  approvedBy: string | null;
  /** It needs a second operator, and had none: approvals are switched off. */
  isAlone?: true;
  /**
   * What the second operator approved, or what was decided by that it needs none: what moves must not go
   * beyond it. Null where nobody was asked: a partner's own user, the system.
   */
  facts: Facts | null;
  found: Found;
  /** The id of what is made: of a proposal always the same, so that doing it again is safe. */
  idOf(kind: IdKind): string;
}

/**
 * What a person does, whichever face it comes through. `execute` alone calls it, so that who may, who
 * approves and what the audit log keeps stand here, once.
 */
export interface Operation<Input, Outcome, Found, Deps, Approval> {
  /** As the audit log has it. */
  name: string;
  permission: WhoMay | typeof ownAccount;
  /** Whether the second factor has to be fresh: always, for LIVE, or never. */
  secondFactor: 'ALWAYS' | 'LIVE' | 'NEVER';
  input: ObjectSchema<Input>;
  approval: Approval;
  /** What it is done to. @throws ServiceError NOT_FOUND */
  find(deps: FindDeps, input: Input, actor: Actor): Found | Promise<Found>;
  /** What the audit log keeps: never a secret, never a customer. */
  audit(input: Input, found: Found, actor: Actor): Target;
  /** Safe to repeat where it has a reference, or may need approval. */
  run(deps: Deps, input: Input, by: By<Found>): Promise<Outcome>;
  /** What the outcome adds to the audit log; stands behind `run`, of which its type is inferred. */
  completion?(outcome: Outcome): Completion;
}

/** One that a person does alone. */
export type PlainOperation<Input, Outcome, Found = unknown, Deps = OperationDeps> = Operation<
  Input,
  Outcome,
  Found,
  Deps,
  'NONE'
>;

/** One that may need a second operator. Its name is its permission too: who may do it may approve it. */
export interface SensitiveOperation<
  Input,
  Outcome,
  Found = unknown,
  Deps = OperationDeps,
  Needed = never,
> extends Operation<Input, Outcome, Found, Deps, ApprovalPolicy<Input, Found, Needed>> {
  name: Permission;
}

// biome-ignore lint/suspicious/noExplicitAny: a list has operations of every input and outcome
type Any = any;

export type AnyOperation =
  | PlainOperation<Any, Any, Any, Any>
  | SensitiveOperation<Any, Any, Any, Any, Any>;

/** Declares an operation that is done alone, with its types inferred. */
export const operation = <const Name extends string, Input, Outcome, Found, Deps = OperationDeps>(
  declared: PlainOperation<Input, Outcome, Found, Deps> & { name: Name },
) => declared;

/** Declares an operation that may need a second operator. */
export const sensitiveOperation = <
  const Name extends Permission,
  Input,
  Outcome,
  Found,
  Needed,
  Deps = OperationDeps,
>(
  declared: SensitiveOperation<Input, Outcome, Found, Deps, Needed> & { name: Name },
) => declared;

export const isSensitive = (
  one: AnyOperation,
): one is SensitiveOperation<Any, Any, Any, Any, Any> => one.approval !== 'NONE';

/** Needed whatever the facts are; the approval is bound to them all the same. */
export const always = (_facts: object): boolean => true;
