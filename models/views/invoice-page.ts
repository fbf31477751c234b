import type { Models } from '../schemas/index.ts';
import type { InvoiceDoc, InvoiceLine } from '../schemas/invoice.ts';

/** An invoice as a page of its own. */
export interface InvoicePage {
  invoice: InvoiceDoc;
  /** To whom it is. */
  partner: { name: string; legalName: string | null; country: string };
  plan: { name: string; version: number };
  /** In order, each with what the lines come to with it. */
  lines: (InvoiceLine & { sumCents: number })[];
}

/**
 * An invoice with what a reader wants to know of it; its last line's sum is its total.
 * @param partnerId whose invoice alone is shown; null for anybody's, which is for operators
 * @returns null for one that is not there, or is another's
 */
export async function readInvoicePage(
  models: Models,
  partnerId: string | null,
  invoiceId: string,
): Promise<InvoicePage | null> {
  const owner = partnerId === null ? {} : { partnerId };
  const invoice = await models.invoices.findOne({ ...owner, _id: invoiceId }).lean();
  if (invoice === null) return null;
  const [partner, plan] = await Promise.all([
    models.partners.findById(invoice.partnerId).lean().orFail(),
    models.planVersions.findById(invoice.planVersionId).lean().orFail(),
  ]);
  let sumCents = 0;
  const lines = invoice.lines.map((line) => {
    sumCents += line.amountCents;
    return { ...line, sumCents };
  });
  if (sumCents !== invoice.totalCents)
    throw new Error(`the lines of ${invoiceId} sum to ${sumCents}`);
  const { name, legalName, country } = partner;
  return {
    invoice,
    partner: { name, legalName, country },
    plan: { name: plan.name, version: plan.version },
    lines,
  };
}
