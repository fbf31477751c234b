import type { Language } from '../../domain/languages.ts';
import type { PlainKey } from './say.ts';

/** English names of languages. */
export const languageNames: Readonly<Record<Language, PlainKey>> = {
  en: 'language.english',
  de: 'language.german',
  fr: 'language.french',
  es: 'language.spanish',
};
