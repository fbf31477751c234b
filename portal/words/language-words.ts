import type { Language } from '../../domain/languages.ts';

/** English names of languages. */
export const languageNames: Readonly<Record<Language, string>> = {
  en: 'English',
  de: 'German',
  fr: 'French',
  es: 'Spanish',
};
