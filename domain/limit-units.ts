/**
 * How many minor units of a currency count as one cent of `FOUR_EYES_…_CENTS`: at most about what a US cent is worth, and
 * 1, 2 or 5 of a power of ten, so that a limit is a round sum which no day's rate changes. What is not listed counts as
 * it is, such as USD, EUR and JPY.
 */
export const currenciesByLimitUnit = {
  2: 'AED BBD BYN BZD FJD GEL ILS KMF KWD MYR OMR PEN PGK PLN QAR RON SAR TMT TOP WST XCD',
  5: 'BOB BRL CLP CNY DKK GTQ HKD JOD MAD MOP SBD SEK SVC TJS TTD XAF XOF',
  10: 'BWP ERN GHS KRW LSL MDL MVR MXN NAD NOK RWF SCR SZL ZAR',
  20: 'BIF CUP CZK EGP HNL LYD MRU MUR NIO SLE SRD STN THB TND TRY TWD UAH UGX UYU ZMW ZWG',
  50: 'AFN ALL BTN CVE DOP GMD GNF INR KGS MKD MZN PHP PYG RUB VED VES',
  100: 'BDT DZD ETB HTG JMD KES LRD NPR RSD',
  200: 'AMD GYD HUF KZT LKR PKR VND YER',
  500: 'AOA CRC KPW SDG SOS',
  1000: 'ARS MWK NGN SSP',
  2000: 'CDF COP KHR MGA MMK MNT TZS',
  5000: 'SYP',
  10000: 'IDR IQD UZS',
  20000: 'IRR LAK',
  50000: 'LBP',
} as const satisfies Record<number, string>;

const unitByCurrency = new Map(
  Object.entries(currenciesByLimitUnit).flatMap(([unit, currencies]) =>
    currencies.split(' ').map((currency) => [currency, Number(unit)] as const),
  ),
);

const unitOf = (currency: string): number => unitByCurrency.get(currency) ?? 1;

/** What an amount counts against a limit, rounded up: so amounts of all currencies add up to one person's day. */
export const limitCentsOf = (amount: number, currency: string): number =>
  Math.ceil(amount / unitOf(currency));

/** A limit as an amount of a currency, in its minor units. */
export const limitIn = (limitCents: number, currency: string): number =>
  Math.min(limitCents * unitOf(currency), Number.MAX_SAFE_INTEGER);
