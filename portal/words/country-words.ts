import { getCountries } from 'libphonenumber-js';
import { countryName } from '../../domain/country-name.ts';

export { countryName };

/** Every country that a profile takes, in the order of their names. */
export const countries: readonly { value: string; text: string }[] = getCountries()
  .map((value) => ({ value, text: countryName(value) }))
  .toSorted((a, b) => a.text.localeCompare(b.text, 'en'));
