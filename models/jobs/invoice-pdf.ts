import { printInvoice } from '../billing/index.ts';
import type { Models } from '../schemas/index.ts';
import type { InvoicePdf, InvoicePdfJob, JobProgress } from '../schemas/jobs.ts';
import { insertOnce } from '../store/insert-once.ts';
import { requireFound } from '../store/require-found.ts';
import { anotherIsOpen, type JobOwner, newJobOf } from './jobs.ts';

/** The id of an invoice's only PDF job, so that requesting it again creates no second one. */
const jobIdOf = (invoiceId: string): string => `job_${invoiceId.slice('inv_'.length)}`;

/**
 * Queues the PDF of an invoice, unless it exists or is being created.
 * @throws ServiceError CONFLICT while another PDF of the partner is being created
 */
export async function startInvoicePdf(
  { models, now }: { models: Models; now: () => number },
  owner: JobOwner,
  invoiceId: string,
): Promise<InvoicePdfJob> {
  const job: InvoicePdfJob = {
    ...newJobOf(owner, new Date(now())),
    _id: jobIdOf(invoiceId),
    kind: 'INVOICE_PDF',
    mode: 'LIVE',
    input: { invoiceId },
    progress: { done: 0, total: 1, of: 'DOCUMENTS' },
  };
  if (await insertOnce(() => models.jobs.create(job))) return job;
  const standing = await findInvoicePdf(models, owner.partnerId, invoiceId);
  if (standing) return standing;
  throw anotherIsOpen('INVOICE_PDF');
}

/** The job of an invoice's PDF; null if it was not requested recently. */
export async function findInvoicePdf(
  models: Models,
  partnerId: string,
  invoiceId: string,
): Promise<InvoicePdfJob | null> {
  return await models.jobs
    .findOne({ partnerId, _id: jobIdOf(invoiceId), kind: 'INVOICE_PDF' })
    .lean<InvoicePdfJob>();
}

/** @throws ServiceError NOT_FOUND */
export async function makeInvoicePdf(
  models: Models,
  { partnerId, input: { invoiceId } }: InvoicePdfJob,
  reportProgress: (progress: JobProgress) => Promise<void>,
): Promise<InvoicePdf> {
  const invoice = requireFound(
    await models.invoices.findOne({ partnerId, _id: invoiceId }),
    'invoice',
    invoiceId,
  );
  const [partner, plan] = await Promise.all([
    models.partners.findById(partnerId).orFail(),
    models.planVersions.findById(invoice.planVersionId, { name: 1 }),
  ]);
  const pdf = await printInvoice(invoice, partner, plan?.name ?? null);
  await reportProgress({ done: 1, total: 1, of: 'DOCUMENTS' });
  return { pdf };
}
