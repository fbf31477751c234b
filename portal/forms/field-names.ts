import type { ObjectSchema } from 'joi';

/** The names of a form's fields. `schema.describe()` lists them too, but describes every rule besides, which takes long. */
export const fieldNames = (schema: ObjectSchema): string[] =>
  ((schema.$_terms.keys ?? []) as { key: string }[]).map(({ key }) => key);
