import { getCountries } from 'libphonenumber-js';
import { countryName } from '../../domain/branding.ts';

export { countryName };

/** The countries that a profile accepts, by name. */
export const countries: readonly { value: string; text: string }[] = getCountries()
  .map((value) => ({ value, text: countryName(value) }))
  .toSorted((a, b) => a.text.localeCompare(b.text, 'en'));
