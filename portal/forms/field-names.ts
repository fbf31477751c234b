import type { ObjectSchema } from 'joi';

/**
 * The names of a form's fields. `schema.describe()` lists them too, but is slow, since it describes every
 * rule.
 */
export const fieldNames = (schema: ObjectSchema): string[] =>
  ((schema.$_terms.keys ?? []) as { key: string }[]).map(({ key }) => key);
