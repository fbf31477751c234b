import type { Language } from '../../domain/languages.ts';

/** What a language is called, on a page in English. */
export const languageNames: Record<Language, string> = {
  en: 'English',
  de: 'German',
  fr: 'French',
  es: 'Spanish',
};
