import { ServiceError } from '../domain/errors.ts';
import type { AuditEntryDoc } from '../models/schemas/audit.ts';
import { isDuplicateKey } from '../models/store/insert-once.ts';
import { newId } from '../platform/ids.ts';
import type { AuditLogDeps } from './deps.ts';

/** The actors of an audit entry. */
export interface AuditAuthor {
  actorId: string;
  approvedBy: string | null;
  requestId: string;
  /** Set when it needed a second operator but approvals are switched off. */
  isAlone?: true;
}

/** The target of an operation in its audit entry. */
export interface AuditTarget {
  partnerId: string | null;
  /** Null if the operation creates the target. */
  targetId: string | null;
  /** Never a secret, never customer data. */
  details?: Record<string, unknown>;
  /**
   * What repeats of the same operation have in common, so that they share one entry: a text, or
   * `BY_REFERENCE` for the details, which then include the given reference. Without it each run gets
   * its own entry.
   */
  once?: string | 'BY_REFERENCE';
}

/** What is known once the operation has run. */
export interface Completion {
  targetId?: string;
  details?: Record<string, unknown>;
}

/** Reads of customer or sealed data. They change nothing but leave an entry. */
export type AuditedRead =
  | 'customer.read'
  | 'event.read'
  | 'export.read'
  | 'review.read'
  | 'reward.read'
  | 'proposal.read'
  | 'refused-request.read';

export const isReferenced = ({ once }: AuditTarget): boolean => once === 'BY_REFERENCE';

/**
 * Runs something with an audit entry: the intent is written before, the outcome after, so a process that ends
 * in between leaves a trace. A refusal completes the entry as FAILED. An error that leaves the outcome
 * unknown leaves it INTENDED, until a repeat completes it.
 * @param run must be safe to repeat if the target has `once`
 * @param completionOf what the outcome adds to the entry
 */
export async function audited<T>(
  deps: AuditLogDeps,
  by: AuditAuthor,
  what: AuditTarget & { action: string },
  run: () => Promise<T>,
  completionOf: (outcome: T) => Completion = () => ({}),
): Promise<T> {
  const entry = await insertIntent(deps, by, what);
  let outcome: T;
  try {
    outcome = await run();
  } catch (error) {
    if (error instanceof ServiceError && error.status < 500) await fail(deps, entry, error);
    throw error;
  }
  await complete(deps, entry, completionOf(outcome));
  return outcome;
}

/** Writes the entry of a read, before the data is returned. */
export async function auditRead(
  { models, now }: AuditLogDeps,
  { id: actorId, requestId }: { id: string; requestId: string },
  read: Omit<AuditTarget, 'once'> & { action: AuditedRead },
): Promise<void> {
  const at = new Date(now());
  await models.auditEntries.create({
    ...fresh({ actorId, approvedBy: null, requestId }, read, at),
    status: 'DONE',
    completedAt: at,
  });
}

type Intent = Pick<AuditEntryDoc, '_id' | 'partnerId'>;

/** @returns the new entry, or the one that an earlier run of the same operation left */
async function insertIntent(
  { models, now }: AuditLogDeps,
  by: AuditAuthor,
  what: AuditTarget & { action: string },
): Promise<Intent> {
  const once = onceOf(what);
  const entry: AuditEntryDoc = {
    ...fresh(by, what, new Date(now())),
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
  const { partnerId } = what;
  return (await models.auditEntries.findOne({ partnerId, once }, { partnerId: 1 })) ?? entry;
}

function onceOf({
  action,
  targetId,
  details,
  once,
}: AuditTarget & { action: string }): string | null {
  if (once === undefined) return null;
  return JSON.stringify([action, targetId, once === 'BY_REFERENCE' ? details : once]);
}

function fresh(
  by: AuditAuthor,
  { action, partnerId, targetId, details = {} }: AuditTarget & { action: string },
  at: Date,
) {
  const once: string | null = null;
  return { _id: newId('audit'), ...by, action, partnerId, targetId, details, once, at };
}

/** Also if another attempt at the same operation was refused in the meantime. */
async function complete(
  { models, now }: AuditLogDeps,
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

/** Clears `once`, so that a later attempt gets its own entry. */
async function fail(
  { models, now }: AuditLogDeps,
  { _id, partnerId }: Intent,
  { code }: ServiceError,
): Promise<void> {
  await models.auditEntries.updateOne(
    { partnerId, _id, status: 'INTENDED' },
    { $set: { status: 'FAILED', completedAt: new Date(now()), once: null, 'details.code': code } },
  );
}
