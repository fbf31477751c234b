import type { InvoiceDoc } from '../schemas/billing.ts';
import type { PartnerDoc } from '../schemas/partners.ts';
import { invoiceSheet } from './invoices.ts';

/** Renders an invoice as a PDF. Library and fonts are loaded on first use. */
export async function printInvoice(
  invoice: InvoiceDoc,
  partner: PartnerDoc,
  planName: string | null,
): Promise<Buffer> {
  const { invoicePdf } = await import('./invoice-pdf.ts');
  return await invoicePdf(invoiceSheet(invoice, partner, planName), invoice.issuedAt);
}
