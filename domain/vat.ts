/** The issuer's country (ISO 3166-1 alpha-2), and its VAT rate in hundredths of a percent. */
export interface VatTerms {
  country: string;
  rate: number;
}

/** The VAT of an invoice, as of its issue. */
export interface InvoiceVat {
  /** In hundredths of a percent; 0 if none is charged. */
  rate: number;
  /** What of the total is VAT, in minor units. */
  cents: number;
  /** Why none is charged; null if it is. */
  because: 'REVERSE_CHARGE' | 'OUTSIDE' | null;
}

const union = new Set(
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' '),
);

/**
 * What of a total is VAT. Prices include it. Within the European Union, a partner with a tax number in another
 * country owes the tax itself; elsewhere abroad there is none.
 * @param terms null if the issuer charges none
 * @param billedTo as long as its country is not chosen, it is taxed like one at home
 */
export function vatOf(
  terms: VatTerms | null,
  billedTo: { country: string | null; taxId: string | null },
  totalCents: number,
): InvoiceVat | null {
  if (terms === null) return null;
  if (billedTo.country !== null && billedTo.country !== terms.country) {
    const isWithin = union.has(terms.country) && union.has(billedTo.country);
    if (!isWithin) return { rate: 0, cents: 0, because: 'OUTSIDE' };
    if (billedTo.taxId !== null) return { rate: 0, cents: 0, because: 'REVERSE_CHARGE' };
  }
  return { rate: terms.rate, cents: includedCents(totalCents, terms.rate), because: null };
}

const whole = 10_000;

/** Rounded half up to the minor unit, in whole numbers. */
function includedCents(totalCents: number, rate: number): number {
  const divisor = BigInt(whole + rate);
  return Number((2n * BigInt(totalCents) * BigInt(rate) + divisor) / (2n * divisor));
}
