import { derivedId, timeOfId } from '../../platform/ids.ts';
import { printInvoice } from '../billing/index.ts';
import type { Models } from '../schemas/index.ts';
import type { InvoiceDocument, InvoicePdfJob, JobProgress, Pdf } from '../schemas/jobs.ts';
import { insertOnce } from '../store/insert-once.ts';
import { requireFound } from '../store/require-found.ts';
import { anotherIsOpen, type JobOwner, newJobOf } from './jobs.ts';

/** The id of a document's only PDF job, so that requesting it again creates no second one. */
export const invoicePdfIdOf = (invoiceId: string, document: InvoiceDocument): string =>
  document === 'INVOICE'
    ? `job_${invoiceId.slice('inv_'.length)}`
    : derivedId('job', timeOfId(invoiceId), `${document} ${invoiceId}`);

/**
 * Queues the PDF of an invoice or its credit note, unless it exists or is being created.
 * @throws ServiceError CONFLICT while another PDF of the partner is being created
 */
export async function startInvoicePdf(
  { models, now }: { models: Models; now: () => number },
  owner: JobOwner,
  invoiceId: string,
  document: InvoiceDocument,
): Promise<InvoicePdfJob> {
  const job: InvoicePdfJob = {
    ...newJobOf(owner, new Date(now())),
    _id: invoicePdfIdOf(invoiceId, document),
    kind: 'INVOICE_PDF',
    mode: 'LIVE',
    input: { invoiceId, document },
    progress: { done: 0, total: 1, of: 'DOCUMENTS' },
  };
  if (await insertOnce(() => models.jobs.create(job))) return job;
  const standing = await findInvoicePdf(models, owner.partnerId, invoiceId, document);
  if (standing) return standing;
  throw anotherIsOpen('INVOICE_PDF');
}

/** The job of a PDF; null if it was not requested recently. */
export async function findInvoicePdf(
  models: Models,
  partnerId: string,
  invoiceId: string,
  document: InvoiceDocument,
): Promise<InvoicePdfJob | null> {
  return await models.jobs
    .findOne({ partnerId, _id: invoicePdfIdOf(invoiceId, document), kind: 'INVOICE_PDF' })
    .lean<InvoicePdfJob>();
}

/** @throws ServiceError NOT_FOUND */
export async function makeInvoicePdf(
  models: Models,
  { partnerId, input: { invoiceId, document } }: InvoicePdfJob,
  reportProgress: (progress: JobProgress) => Promise<void>,
): Promise<Pdf> {
  const invoice = requireFound(
    await models.invoices.findOne({ partnerId, _id: invoiceId }),
    'invoice',
    invoiceId,
  );
  const [partner, plan] = await Promise.all([
    models.partners.findById(partnerId).orFail(),
    models.planVersions.findById(invoice.planVersionId, { name: 1 }),
  ]);
  const printed = await printInvoice(invoice, partner, plan?.name ?? null, document);
  const pdf = requireFound(printed, 'credit note of', invoiceId);
  await reportProgress({ done: 1, total: 1, of: 'DOCUMENTS' });
  return { pdf };
}
