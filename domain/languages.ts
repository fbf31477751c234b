/** The languages of messages to customers; the first is the default. */
export const languages = ['en', 'de', 'fr', 'es'] as const;

export type Language = (typeof languages)[number];

export const defaultLanguage: Language = languages[0];
