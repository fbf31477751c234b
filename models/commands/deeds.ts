import { ServiceError } from '../../domain/errors.ts';
import { newId } from '../../platform/ids.ts';
import { isDuplicateKey } from '../insert-once.ts';
import type { AuditEntryDoc } from '../schemas/audit-entry.ts';
import {
  isReferencedAction,
  type OtherAction,
  type ReadAction,
  type ReferencedAction,
} from './actions.ts';
import type { CommandDeps } from './deps.ts';

/** Under whose name a deed is done. */
export interface Doer {
  /** An operator's `adm_…`, or the `usr_…` of a partner's user. */
  actorId: string;
  /** The second operator, where the first one proposed it. */
  approvedBy: string | null;
  /** The request it was done by. */
  requestId: string;
}

/**
 * The doer of what no operator asked for: the first funds and the first operator of an installation.
 * @param by the command that does it
 */
export const system = (by: string): Doer => ({
  actorId: 'system',
  approvedBy: null,
  requestId: by,
});

interface What {
  partnerId: string | null;
  /** What it is done to; null where the deed makes it. */
  targetId: string | null;
  /** What a reader wants to know of it; never a secret, never a customer. */
  details?: Record<string, unknown>;
}

/** What is done to what. */
export interface OtherDeed extends What {
  action: OtherAction;
  /** Tells a repeat that is the same deed from another one; without it each is a deed of its own. */
  once?: string;
}

/** What is moved or erased, under a reference: a repeat is the same deed. */
export interface ReferencedDeed extends What {
  action: ReferencedAction;
  targetId: string;
  details: { reference: string } & Record<string, unknown>;
}

export type Deed = ReferencedDeed | OtherDeed;

/** What was looked at. */
export interface Read extends What {
  action: ReadAction;
}

export const isReferencedDeed = (deed: Deed): deed is ReferencedDeed =>
  isReferencedAction(deed.action);

/** What is known of a deed once it is done. */
export interface Completion {
  targetId?: string;
  details?: Record<string, unknown>;
}

type DeedDeps = Pick<CommandDeps, 'models' | 'now'>;

/**
 * Does something and leaves its entry in the audit trail: the intent before, the outcome after. So a
 * process that ends in between leaves a trace. A refusal completes it as FAILED; an error that leaves
 * the outcome open leaves it INTENDED, until a repeat of the same deed completes it.
 * @param command safe to repeat, where the deed has a reference or says `once`
 * @param completionOf what the outcome adds to the entry
 */
export async function carryOut<T>(
  deps: DeedDeps,
  doer: Doer,
  deed: Deed,
  command: () => Promise<T>,
  completionOf: (outcome: T) => Completion = () => ({}),
): Promise<T> {
  const entry = await intend(deps, doer, deed);
  let outcome: T;
  try {
    outcome = await command();
  } catch (error) {
    if (error instanceof ServiceError && error.status < 500) await fail(deps, entry, error);
    throw error;
  }
  await complete(deps, entry, completionOf(outcome));
  return outcome;
}

/** Leaves the entry of a read, before it is answered. */
export async function recordRead({ models, now }: DeedDeps, doer: Doer, read: Read): Promise<void> {
  const at = new Date(now());
  await models.auditEntries.create({
    ...fresh(doer, read, at),
    status: 'DONE',
    completedAt: at,
  });
}

type Intent = Pick<AuditEntryDoc, '_id' | 'partnerId'>;

/** @returns the new entry, or the one that the same deed left before */
async function intend({ models, now }: DeedDeps, doer: Doer, deed: Deed): Promise<Intent> {
  const once = onceOf(deed);
  const entry: AuditEntryDoc = {
    ...fresh(doer, deed, new Date(now())),
    once,
    status: 'INTENDED',
    completedAt: null,
  };
  try {
    await models.auditEntries.create(entry);
    return entry;
  } catch (error) {
    if (once === null || !isDuplicateKey(error)) throw error;
  }
  const { partnerId } = deed;
  return (await models.auditEntries.findOne({ partnerId, once }, { partnerId: 1 }).lean()) ?? entry;
}

function onceOf(deed: Deed): string | null {
  const { action, targetId } = deed;
  const once = isReferencedDeed(deed) ? deed.details : deed.once;
  return once === undefined ? null : JSON.stringify([action, targetId, once]);
}

function fresh(
  { actorId, approvedBy, requestId }: Doer,
  { action, partnerId, targetId, details = {} }: What & Pick<AuditEntryDoc, 'action'>,
  at: Date,
) {
  const once: string | null = null;
  const who = { actorId, approvedBy, requestId };
  return { _id: newId('audit'), ...who, action, partnerId, targetId, details, once, at };
}

/** What is done is done, also where another attempt at the same was refused meanwhile. */
async function complete(
  { models, now }: DeedDeps,
  { _id, partnerId }: Intent,
  { targetId, details = {} }: Completion,
): Promise<void> {
  const added = Object.entries(details).map(([name, value]) => [`details.${name}`, value]);
  await models.auditEntries.updateOne(
    { partnerId, _id, status: { $ne: 'DONE' } },
    {
      $set: {
        status: 'DONE',
        completedAt: new Date(now()),
        ...(targetId !== undefined && { targetId }),
        ...Object.fromEntries(added),
      },
    },
  );
}

/** A later attempt at what failed is a deed of its own. */
async function fail(
  { models, now }: DeedDeps,
  { _id, partnerId }: Intent,
  { code }: ServiceError,
): Promise<void> {
  await models.auditEntries.updateOne(
    { partnerId, _id, status: 'INTENDED' },
    { $set: { status: 'FAILED', completedAt: new Date(now()), once: null, 'details.code': code } },
  );
}
