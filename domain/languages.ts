/** The languages of messages to customers; the first is the default. */
export const languages = ['en', 'de', 'fr', 'es'] as const;

export type Language = (typeof languages)[number];

export const defaultLanguage: Language = languages[0];

/**
 * The language that most people of a country read, if messages are written in it.
 * @param country ISO 3166-1 alpha-2
 */
export function languageOfCountry(country: string): Language {
  const { language } = new Intl.Locale('und', { region: country }).maximize();
  return languages.find((one) => one === language) ?? defaultLanguage;
}
