import { ServiceError } from '../domain/errors.ts';
import { printStatement } from '../models/billing/index.ts';
import { movementsBetween, type StatementDays, statementBounds } from '../models/ledger/index.ts';
import type { Models } from '../models/schemas/index.ts';
import type { JobProgress, Pdf, StatementPdfJob } from '../models/schemas/jobs.ts';
import { newId } from '../platform/ids.ts';
import { enqueueJob, type JobOwner, newJobOf } from './jobs.ts';

/** Some 150 pages. A file of more has to be CSV. */
export const maxPrintedMovements = 5_000;

/**
 * Queues the PDF of a statement of funding.
 * @throws ServiceError CONFLICT while another statement of the partner is being created
 */
export async function queueStatementPdf(
  { models, now }: { models: Models; now: () => number },
  owner: JobOwner,
  { fromDay, toDay }: StatementDays,
): Promise<StatementPdfJob> {
  const job: StatementPdfJob = {
    ...newJobOf(owner, new Date(now())),
    _id: newId('job'),
    kind: 'STATEMENT_PDF',
    mode: 'LIVE',
    input: { fromDay, toDay },
    progress: { done: 0, total: 1, of: 'DOCUMENTS' },
  };
  await enqueueJob(models, job);
  return job;
}

/** @throws ServiceError CONFLICT if there are too many movements */
export async function makeStatementPdf(
  { models }: { models: Models },
  { partnerId, input, createdAt }: StatementPdfJob,
  reportProgress: (progress: JobProgress) => Promise<void>,
): Promise<Pdf> {
  const bounds = await statementBounds(models, partnerId, input);
  const movements = await movementsBetween(models, partnerId, bounds, maxPrintedMovements + 1);
  if (movements.length > maxPrintedMovements) {
    throw new ServiceError(
      'CONFLICT',
      `These days have more than ${maxPrintedMovements.toLocaleString('en')} movements. Choose fewer days, or download them as CSV.`,
    );
  }
  const { name, legalName, currency } = await models.partners.findById(partnerId).orFail();
  const partner = { name: legalName ?? name, partnerId, currency };
  const pdf = await printStatement({ ...input, ...bounds, partner, movements, createdAt });
  await reportProgress({ done: 1, total: 1, of: 'DOCUMENTS' });
  return { pdf };
}
