/** Who an invoice is for. */
export interface InvoiceParty {
  name: string;
  /** In lines, without the country. */
  address: string | null;
  /** ISO 3166-1 alpha-2. */
  country: string;
  taxId: string | null;
}

/** Who issues it, and how it is paid. */
export interface InvoiceIssuer {
  name: string;
  /** In lines. */
  address: string | null;
  taxId: string | null;
  /** In lines. */
  paymentDetails: string | null;
}
