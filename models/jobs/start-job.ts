import { ServiceError } from '../../domain/errors.ts';
import type { Models } from '../schemas/index.ts';
import type { JobDoc, JobKind } from '../schemas/job.ts';
import { insertOnce } from '../store/insert-once.ts';

/** A job that is not over by then goes, and what it was given with it. */
export const openForMs = 24 * 3_600_000;

/** Who asks for a job, on whose behalf. */
export interface JobOwner {
  partnerId: string;
  /** The partner's user. */
  requestedBy: string;
}

/**
 * Puts a job in the queue; its workflow is to be started behind it.
 * @throws ServiceError CONFLICT while one of its kind is open
 */
export async function enqueueJob(models: Models, job: JobDoc): Promise<void> {
  if (await insertOnce(() => models.jobs.create(job))) return;
  throw anotherIsOpen(job.kind);
}

/** @throws ServiceError CONFLICT while a job of this kind is open */
export async function requireNoneOpen(
  models: Models,
  partnerId: string,
  kind: JobKind,
): Promise<void> {
  if (await models.jobs.exists({ partnerId, kind, isOpen: true })) throw anotherIsOpen(kind);
}

function anotherIsOpen(kind: JobKind): ServiceError {
  const what = kind === 'BACK_TEST' ? 'A back-test' : 'A comparison of orders';
  return new ServiceError('CONFLICT', `${what} is already running. Wait until it is done.`);
}
