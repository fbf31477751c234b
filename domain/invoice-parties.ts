/** Who an invoice is for. */
export interface InvoiceParty {
  name: string;
  /** One entry per line, without the country. */
  address: string | null;
  /** ISO 3166-1 alpha-2. */
  country: string;
  taxId: string | null;
}

/** Who issues it, and how it is paid. */
export interface InvoiceIssuer {
  name: string;
  /** One entry per line. */
  address: string | null;
  taxId: string | null;
  /** One entry per line. */
  paymentDetails: string | null;
}
