import type { InvoiceDoc } from '../schemas/billing.ts';
import type { InvoiceDocument } from '../schemas/jobs.ts';
import type { PartnerDoc } from '../schemas/partners.ts';
import { creditNoteSheet, invoiceSheet } from './invoices.ts';
import type { PrintedStatement } from './statement-pdf.ts';

/**
 * Renders an invoice or its credit note as a PDF. Library and fonts are loaded on first use.
 * @returns null for the credit note of an invoice that stands
 */
export async function printInvoice(
  invoice: InvoiceDoc,
  partner: PartnerDoc,
  planName: string | null,
  document: InvoiceDocument,
): Promise<Buffer | null> {
  const sheetOf = document === 'INVOICE' ? invoiceSheet : creditNoteSheet;
  const sheet = sheetOf(invoice, partner, planName);
  if (sheet === null) return null;
  const { invoicePdf } = await import('./invoice-pdf.ts');
  const issued = document === 'INVOICE' ? invoice : invoice.creditNote;
  return await invoicePdf(sheet, issued?.issuedAt ?? invoice.issuedAt);
}

/** Renders a statement of funding as a PDF, likewise. */
export async function printStatement(statement: PrintedStatement): Promise<Buffer> {
  const { statementPdf } = await import('./statement-pdf.ts');
  return await statementPdf(statement);
}
