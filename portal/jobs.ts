import type { Readable } from 'node:stream';
import type { Mode } from '../domain/mode.ts';
import { param } from '../http/context.ts';
import { exportCsv, findExport, findJob, findJobs, orderFaultsCsv } from '../jobs/index.ts';
import { printInvoice } from '../models/billing/index.ts';
import type { InvoiceDoc } from '../models/schemas/billing.ts';
import type {
  ExportJob,
  InvoiceDocument,
  JobDoc,
  JobKind,
  StatementPdfJob,
} from '../models/schemas/jobs.ts';
import type { PartnerDoc } from '../models/schemas/partners.ts';
import { startIfStalled } from '../operations/jobs.ts';
import type { PartnerScope } from '../views/partner-scope.ts';
import type { PageContext } from './context.ts';
import type { PortalDeps } from './deps.ts';
import { notFound, orNotFound } from './middleware/form.ts';
import { ownScope } from './routing/own-scope.ts';

/**
 * The job that a page shows, by `:jobId` of its path; a stalled one is started again.
 * @throws ServiceError NOT_FOUND, also for another partner's job
 */
export async function readJob<Kind extends JobKind>(
  deps: PortalDeps,
  ctx: PageContext<'partner'>,
  kind: Kind,
): Promise<Extract<JobDoc, { kind: Kind }>> {
  const job = await findJob(deps.models, ownScope(ctx), param(ctx, 'jobId'));
  if (job?.kind !== kind) throw notFound();
  startIfStalled(deps, job);
  return job as Extract<JobDoc, { kind: Kind }>;
}

/** An export, like `readJob`; operators can see each other's. @throws ServiceError NOT_FOUND */
export async function readExport(
  deps: PortalDeps,
  ctx: PageContext<'operator'>,
): Promise<ExportJob> {
  const job = orNotFound(await findExport(deps.models, param(ctx, 'jobId')));
  startIfStalled(deps, job);
  return job;
}

/** The rows of a finished export, as CSV. */
export const csvOfExport = (deps: PortalDeps, job: ExportJob): Readable => exportCsv(deps, job);

/** The differences that a finished comparison found, as CSV. @throws ServiceError NOT_FOUND */
export async function readFaultsCsv(
  deps: PortalDeps,
  ctx: PageContext<'partner'>,
): Promise<Readable> {
  const { _id, status } = await readJob(deps, ctx, 'ORDER_COMPARISON');
  if (status !== 'DONE') throw notFound();
  return orderFaultsCsv(deps, ownScope(ctx), _id);
}

/** The viewing operator's newest exports. */
export const readOwnExports = (
  { models }: PortalDeps,
  ctx: PageContext<'operator'>,
  limit: number,
): Promise<ExportJob[]> => findJobs(models, ctx.state.viewer.actorId, 'EXPORT', limit);

/** Sends a PDF. @param name of the file @param pdf null before it is created @throws ServiceError NOT_FOUND */
export function sendPdf(ctx: PageContext, name: string, pdf: Uint8Array | null): void {
  ctx.set('Content-Disposition', `attachment; filename="${name}.pdf"`);
  ctx.type = 'application/pdf';
  ctx.body = Buffer.from(orNotFound(pdf));
}

/** Sends an invoice or its credit note as a PDF. @throws ServiceError NOT_FOUND for the credit note of one that stands */
export async function sendInvoicePdf(
  ctx: PageContext,
  { invoice, planName }: { invoice: InvoiceDoc; planName: string | null },
  partner: PartnerDoc,
  document: InvoiceDocument = 'INVOICE',
): Promise<void> {
  const pdf = await printInvoice(invoice, partner, planName, document);
  const isNote = document === 'CREDIT_NOTE';
  const name = isNote ? `credit-note-${invoice.creditNote?.number}` : `invoice-${invoice.number}`;
  sendPdf(ctx, name, pdf);
}

/** The PDF that a job made; null before. */
export function pdfOf({ result }: StatementPdfJob): Uint8Array | null {
  if (result === null) return null;
  return result.pdf instanceof Uint8Array ? result.pdf : result.pdf.buffer;
}

/** The partner's newest jobs of a kind. */
export const readJobs = <Kind extends JobKind>(
  { models }: Pick<PortalDeps, 'models'>,
  partnerId: PartnerScope,
  kind: Kind,
  limit: number,
  mode?: Mode,
): Promise<Extract<JobDoc, { kind: Kind }>[]> => findJobs(models, partnerId, kind, limit, mode);
