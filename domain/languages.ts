/** What customers are spoken to in; the first where nothing says otherwise. */
export const languages = ['en', 'de', 'fr', 'es'] as const;

export type Language = (typeof languages)[number];

export const defaultLanguage: Language = languages[0];
