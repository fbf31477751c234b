import { ServiceError } from '../domain/errors.ts';
import type { AuditEntryDoc } from '../models/schemas/audit-entry.ts';
import { isDuplicateKey } from '../models/store/insert-once.ts';
import { newId } from '../platform/ids.ts';
import type { AuditDeps } from './deps.ts';

/** Under whose name an entry stands. */
export interface Signature {
  actorId: string;
  approvedBy: string | null;
  requestId: string;
  /** It needs two, and approvals are switched off. */
  isAlone?: true;
}

/** What something is done to, and what a reader wants to know of it. */
export interface Target {
  partnerId: string | null;
  /** Null where it is made by what is done. */
  targetId: string | null;
  /** Never a secret, never a customer. */
  details?: Record<string, unknown>;
  /**
   * Tells a repeat that is the same from one that is another: a word of its own, or all the details,
   * which then have the reference that was given. Without it each is one of its own.
   */
  once?: string | 'BY_REFERENCE';
}

/** What is known once it is done. */
export interface Completion {
  targetId?: string;
  details?: Record<string, unknown>;
}

/** These change nothing: somebody has read what is a customer's, or was sealed. */
export type ReadName =
  | 'customer.read'
  | 'event.read'
  | 'export.read'
  | 'review.read'
  | 'reward.read'
  | 'proposal.read'
  | 'refused-request.read';

export const isReferenced = ({ once }: Target): boolean => once === 'BY_REFERENCE';

/**
 * Does something between its two lines of the audit log: the intent before, the outcome after. So a
 * process that ends in between leaves a trace. A refusal completes it as FAILED; an error that leaves
 * the outcome open leaves it INTENDED, until a repeat of the same completes it.
 * @param run safe to repeat, where the target says `once`
 * @param completionOf what the outcome adds to the entry
 */
export async function audited<T>(
  deps: AuditDeps,
  by: Signature,
  what: Target & { action: string },
  run: () => Promise<T>,
  completionOf: (outcome: T) => Completion = () => ({}),
): Promise<T> {
  const entry = await intend(deps, by, what);
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

/** Leaves the entry of a read, before it is answered. */
export async function auditRead(
  { models, now }: AuditDeps,
  { id: actorId, requestId }: { id: string; requestId: string },
  read: Omit<Target, 'once'> & { action: ReadName },
): Promise<void> {
  const at = new Date(now());
  await models.auditEntries.create({
    ...fresh({ actorId, approvedBy: null, requestId }, read, at),
    status: 'DONE',
    completedAt: at,
  });
}

type Intent = Pick<AuditEntryDoc, '_id' | 'partnerId'>;

/** @returns the new entry, or the one that the same left before */
async function intend(
  { models, now }: AuditDeps,
  by: Signature,
  what: Target & { action: string },
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
  return (await models.auditEntries.findOne({ partnerId, once }, { partnerId: 1 }).lean()) ?? entry;
}

function onceOf({ action, targetId, details, once }: Target & { action: string }): string | null {
  if (once === undefined) return null;
  return JSON.stringify([action, targetId, once === 'BY_REFERENCE' ? details : once]);
}

function fresh(
  by: Signature,
  { action, partnerId, targetId, details = {} }: Target & { action: string },
  at: Date,
) {
  const once: string | null = null;
  return { _id: newId('audit'), ...by, action, partnerId, targetId, details, once, at };
}

/** What is done is done, also where another attempt at the same was refused meanwhile. */
async function complete(
  { models, now }: AuditDeps,
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

/** A later attempt at what failed is one of its own. */
async function fail(
  { models, now }: AuditDeps,
  { _id, partnerId }: Intent,
  { code }: ServiceError,
): Promise<void> {
  await models.auditEntries.updateOne(
    { partnerId, _id, status: 'INTENDED' },
    { $set: { status: 'FAILED', completedAt: new Date(now()), once: null, 'details.code': code } },
  );
}
