/** The currencies of ISO 4217 and their minor units, in which every amount of the service is counted. */

const withTwoDigits =
  'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP CRC ' +
  'CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR ' +
  'JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD ' +
  'NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN ' +
  'SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG';
const withoutDigits = 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF';
const withThreeDigits = 'BHD IQD JOD KWD LYD OMR TND';

const digitsByCode = new Map<string, number>(
  Object.entries({ 2: withTwoDigits, 0: withoutDigits, 3: withThreeDigits }).flatMap(
    ([digits, codes]) => codes.split(' ').map((code) => [code, Number(digits)] as const),
  ),
);

/** Whether it is the code of a currency, in any case. */
export const isCurrency = (code: string): boolean =>
  /^[A-Za-z]{3}$/.test(code) && digitsByCode.has(code.toUpperCase());

/** How many decimals an amount has: USD 2, JPY 0, KWD 3. @param currency upper case; 2 for an unknown one */
export const digitsOf = (currency: string): number => digitsByCode.get(currency) ?? 2;

/** The countries whose currency has another country's or union's code; the others' codes begin with their own. */
const countriesByCurrency: Record<string, string> = {
  AUD: 'CC CX HM KI NF NR TV',
  CHF: 'LI',
  DKK: 'FO GL',
  EUR:
    'AD AT AX BE BG BL CY DE EE ES FI FR GF GP GR HR IE IT LT LU LV MC ME MF MQ MT NL PM PT RE SI SK SM TF VA ' +
    'XK YT',
  FKP: 'FK',
  GBP: 'AC GG GS IM JE TA',
  ILS: 'PS',
  MAD: 'EH',
  NOK: 'BV SJ',
  NZD: 'CK NU PN TK',
  USD: 'AS BQ EC FM GU IO MH MP PR PW SV TC TL UM VG VI',
  VES: 'VE',
  XAF: 'CF CG CM GA GQ TD',
  XCD: 'AG AI DM GD KN LC MS VC',
  XCG: 'CW SX',
  XOF: 'BF BJ CI GW ML NE SN TG',
  XPF: 'NC PF WF',
};

const currencyByCountry = new Map([
  ...[...digitsByCode.keys()].map((code) => [code.slice(0, 2), code] as const),
  ...Object.entries(countriesByCurrency).flatMap(([code, countries]) =>
    countries.split(' ').map((country) => [country, code] as const),
  ),
]);

/** The currency of a country. @param country an ISO 3166 code in upper case */
export const currencyOfCountry = (country: string): string | undefined =>
  currencyByCountry.get(country);

/** A rate in micros of a currency unit is divided by this to get minor units: USD 10,000, JPY 1,000,000, KWD 1,000. */
export const microsPerMinor = (currency: string): bigint => 10n ** BigInt(6 - digitsOf(currency));
