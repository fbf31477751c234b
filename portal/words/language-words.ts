import type { Language } from '../../domain/languages.ts';
import { say } from './say.ts';

/** What a language is called, on a page in English. */
export const languageNames = (): Record<Language, string> => ({
  en: say('language.english'),
  de: say('language.german'),
  fr: say('language.french'),
  es: say('language.spanish'),
});
