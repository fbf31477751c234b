import type { ObjectSchema } from 'joi';
import type { Mode } from '../domain/mode.ts';
import type { ApprovalConfig, Permission } from '../domain/operators.ts';
import type { PartnerPermission } from '../domain/partners.ts';
import type { OfCustomer } from '../models/store/data-keys.ts';
import type { IdKind } from '../platform/ids.ts';
import type { Actor } from './actor.ts';
import type { AuditTarget, Completion } from './audit-log.ts';
import type { OperationDeps } from './deps.ts';

/** Dependencies for reading what an approval is shown. */
export type ShownDeps = Pick<OperationDeps, 'models' | 'now'>;

/** Dependencies of `find`. The command that sets up an installation has no more than these. */
export type FindDeps = Pick<OperationDeps, 'models'> & Partial<Pick<OperationDeps, 'config'>>;

/** Who may run it; null for none of that kind. A user's permission can depend on the mode of the target. */
export interface OperationPermission {
  operator: Permission | null;
  user: PartnerPermission | Record<Mode, PartnerPermission> | null;
}

/** For operations on one's own session, password, second factor or token: everyone signed in may. */
export const ownAccount = 'OWN_ACCOUNT';

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** What the second operator sees and approves. The approval is bound to the hash of it. */
export type Shown = { readonly [name: string]: Json };

/** When an operation needs a second operator, and what that operator approves. */
export interface ApprovalPolicy<Input, Found, Needed = never> {
  /** What is shown, as it is now. If any of it has changed by the time of approval, the proposal ends. */
  shown(
    deps: ShownDeps,
    input: Input,
    found: Found,
    actor: Actor,
  ): (Needed & Shown) | Promise<Needed & Shown>;
  /**
   * Refuses what could not be carried out as things are, so that nobody is asked to approve it. `run` checks again.
   * @throws ServiceError as `run` would
   */
  possible?(deps: ShownDeps, input: Input, found: Found): void | Promise<void>;
  /** For policies that limit a day's sum: what single operators have moved today, in cents. */
  movedAlone?(deps: ShownDeps, shown: Needed & Shown, actor: Actor): Promise<number>;
  /** Whether this needs approval. */
  needed(shown: Needed, limits: ApprovalConfig, movedAloneCents: number): boolean;
  /** For input that may hold customer data: the customer whose data key seals the proposal. */
  customerOf?(found: Found): OfCustomer;
}

/** What an operation does at worst, in an operator's hands or, where none has it, in a user's. */
export interface Worst {
  /** In LIVE: money as the larger of what points cost and what they pay for, in cents of the partner's currency. */
  moves: string;
  /** What takes it back, an operation or words; null for nothing. */
  undo: string | null;
  /** When it takes two operators; null for never. */
  two: string | null;
}

export const takesTwo = {
  always: 'always',
  inLive: 'in LIVE',
  aboveRedemptions: 'above `FOUR_EYES_REDEMPTION_CENTS` a day',
  aboveReviews: 'above `FOUR_EYES_REVIEW_CENTS` a day',
} as const;

/** What `run` receives in addition to its input. */
export interface RunContext<Found> {
  actor: Actor;
  /** The second operator, if the operation was proposed and approved. */
  approvedBy: string | null;
  /** Set when it needed a second operator but approvals are switched off. */
  isAlone?: true;
  /**
   * What was shown and approved, or showed that no approval is needed. `run` must not go beyond
   * them. Null where no approval applies: for a partner's own user and for the system.
   */
  shown: Shown | null;
  found: Found;
  /** Makes the id of a new record. For a proposal it is always the same, which makes repeats safe. */
  idOf(kind: IdKind): string;
}

/**
 * Something that a person does through the API, the portal or the command line. Only `execute` and `approve`
 * run it, so permission, approval and audit log are defined here, once for all of them.
 */
export interface Operation<Input, Outcome, Found, Deps, Approval> {
  /** The action that audit entries name. */
  name: string;
  permission: OperationPermission | typeof ownAccount;
  /** When the second factor must have been given recently: always, for LIVE, or never. */
  secondFactor: 'ALWAYS' | 'LIVE' | 'NEVER';
  input: ObjectSchema<Input>;
  /**
   * Absent where it moves nothing: it reads, writes words, ends something, or is about TEST or oneself. What moves something
   * and has no undo takes two operators, or counts against what one may move in a day (docs/operate/roles.md, At worst).
   */
  atWorst?: Worst;
  approval: Approval;
  /** Reads the target. @throws ServiceError NOT_FOUND */
  find(deps: FindDeps, input: Input, actor: Actor): Found | Promise<Found>;
  /** What the audit entry says: never a secret, never customer data. */
  audit(input: Input, found: Found, actor: Actor): AuditTarget;
  /** Must be safe to repeat if the target has a reference or the operation can need approval. */
  run(deps: Deps, input: Input, by: RunContext<Found>): Promise<Outcome>;
  /** What the outcome adds to the audit entry. Declared after `run`, from which its type is inferred. */
  completion?(outcome: Outcome): Completion;
}

/** An operation that never needs approval. */
export type PlainOperation<Input, Outcome, Found = unknown, Deps = OperationDeps> = Operation<
  Input,
  Outcome,
  Found,
  Deps,
  'NONE'
>;

/** An operation that can need a second operator. Its name is also its permission: those who may do it may approve it. */
export interface SensitiveOperation<
  Input,
  Outcome,
  Found = unknown,
  Deps = OperationDeps,
  Needed = never,
> extends Operation<Input, Outcome, Found, Deps, ApprovalPolicy<Input, Found, Needed>> {
  name: Permission;
  atWorst: Worst;
}

// biome-ignore lint/suspicious/noExplicitAny: a list has operations of every input and outcome
type Any = any;

export type AnyOperation =
  | PlainOperation<Any, Any, Any, Any>
  | SensitiveOperation<Any, Any, Any, Any, Any>;

/** Declares an operation that never needs approval, with its types inferred. */
export const operation = <const Name extends string, Input, Outcome, Found, Deps = OperationDeps>(
  declared: PlainOperation<Input, Outcome, Found, Deps> & { name: Name },
) => declared;

/** Declares an operation that can need approval, with its types inferred. */
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

/** Needs approval whatever is shown. The approval is still bound to it. */
export const always = (_shown: object): boolean => true;
