import { getCountries } from 'libphonenumber-js';
import { countryName } from '../../domain/branding.ts';
import type { Language } from '../../domain/languages.ts';
import { partnerRoles } from '../../domain/partners.ts';
import { wordsOf } from '../components/components.ts';

/** The name of a partner's country. */
export const countryOf = ({ country }: { country: string | null }): string =>
  country === null ? 'Not chosen' : countryName(country);

/** The countries that a profile accepts, by name. */
export const countries: readonly { value: string; text: string }[] = getCountries()
  .map((value) => ({ value, text: countryName(value) }))
  .toSorted((a, b) => a.text.localeCompare(b.text, 'en'));

/** English names of languages. */
export const languageNames: Readonly<Record<Language, string>> = {
  en: 'English',
  de: 'German',
  fr: 'French',
  es: 'Spanish',
};

export const roleChoices = partnerRoles.map((value) => ({ value, text: wordsOf(value) }));
export const roleHint = () =>
  'Owners can do everything, developers everything except money and LIVE keys; viewers can only read.';
