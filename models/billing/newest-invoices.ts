import type { InvoiceDoc } from '../schemas/billing.ts';
import type { Models } from '../schemas/index.ts';

/** A partner's invoices, the newest first. */
export async function newestInvoices(
  { invoices }: Models,
  partnerId: string,
  limit: number,
): Promise<InvoiceDoc[]> {
  return await invoices.find({ partnerId }).sort({ _id: -1 }).limit(limit);
}
