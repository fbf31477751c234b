import { getCountries } from 'libphonenumber-js';

const names = new Intl.DisplayNames('en', { type: 'region' });

/** What a country is called. @param country ISO 3166-1 alpha-2 */
export function countryName(country: string): string {
  try {
    return names.of(country) ?? country;
  } catch {
    return country;
  }
}

/** Every country that a profile takes, in the order of their names. */
export const countries: readonly { value: string; text: string }[] = getCountries()
  .map((value) => ({ value, text: countryName(value) }))
  .toSorted((a, b) => a.text.localeCompare(b.text, 'en'));
