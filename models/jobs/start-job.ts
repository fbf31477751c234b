import { ServiceError } from '../../domain/errors.ts';
import type { Models } from '../schemas/index.ts';
import type { JobDoc, JobKind } from '../schemas/jobs.ts';
import { insertOnce } from '../store/insert-once.ts';

/** A job that is not finished by then is dropped, along with its input. */
export const openForMs = 24 * 3_600_000;

/** Who requests a job, and for which partner. */
export interface JobOwner {
  partnerId: string;
  /** The partner's user, or an operator. */
  requestedBy: string;
}

/** The fields of every new job. */
export const newJobOf = ({ partnerId, requestedBy }: JobOwner, createdAt: Date) => ({
  partnerId,
  requestedBy,
  createdAt,
  heartbeatAt: createdAt,
  ...({ status: 'QUEUED', isOpen: true, result: null, problem: null } as const),
  expiresAt: new Date(createdAt.getTime() + openForMs),
});

/**
 * Stores a job; the caller then starts its workflow.
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

const openWords: Record<JobKind, string> = {
  BACK_TEST: 'A back-test is already running',
  ORDER_COMPARISON: 'A comparison of orders is already running',
  INVOICE_PDF: 'The PDF of another invoice is being created',
  EXPORT: 'Another export of yours is being created',
};

export const anotherIsOpen = (kind: JobKind): ServiceError =>
  new ServiceError('CONFLICT', `${openWords[kind]}. Wait until it is done.`);
