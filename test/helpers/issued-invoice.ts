import { issueInvoice } from '../../models/billing/invoices.ts';
import { type BillingDeps, partiesOf } from '../../models/billing/periods.ts';
import type { InvoiceDoc } from '../../models/schemas/billing.ts';

/** Issues an invoice by a commit of its own. */
export async function issuedInvoice(
  deps: BillingDeps,
  invoice: Parameters<typeof issueInvoice>[1],
): Promise<InvoiceDoc> {
  const { partnerId } = invoice;
  const parties = await partiesOf(deps, partnerId);
  return await deps.commit({
    partnerId,
    wallet: { mode: 'LIVE', partnerId },
    issuesInvoice: true,
    decide: (draft, terms) => issueInvoice(draft, invoice, parties, terms),
  });
}
