import { DateTime } from 'luxon';
/** The default time zone. */
export const utc = 'UTC';

/** Zones that the runtime still lists under an outdated IANA name. */
const renamed: Readonly<Record<string, string>> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Godthab': 'America/Nuuk',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
};

const listed = Intl.supportedValuesOf('timeZone').map((zone) => renamed[zone] ?? zone);

/** All time zones that can be chosen, by IANA name; UTC first. */
export const timeZones: readonly string[] = [
  ...new Set([utc, ...listed.toSorted((a, b) => a.localeCompare(b, 'en'))]),
];

/** Missing from TypeScript's library. */
type Region = Intl.Locale & { getTimeZones(): string[] };

/** Zones count as equal if their clocks agree in winter and in summer. */
const [winter, summer] = [new Date('2026-01-15T12:00:00Z'), new Date('2026-07-15T12:00:00Z')];
const clockOf = (timeZone: string): string =>
  [winter, summer].map((at) => at.toLocaleString('en', { timeZone })).join();

const ofCountries = new Map<string, string | null>();

/**
 * The time zone of a country; null if it has several, or none.
 * @param country ISO 3166-1 alpha-2
 */
export function zoneOfCountry(country: string): string | null {
  const known = ofCountries.get(country);
  if (known !== undefined) return known;
  const zones = (new Intl.Locale('und', { region: country }) as Region).getTimeZones();
  const zone = new Set(zones.map(clockOf)).size === 1 ? (zones[0] ?? null) : null;
  ofCountries.set(country, zone);
  return zone;
}

/** The day of a time in a time zone, `yyyy-mm-dd`. @param at ISO 8601 */
export const dayIn = (zone: string, at: string): string =>
  DateTime.fromISO(at, { zone }).toISODate() ?? at.slice(0, 10);
