/**
 * Words in which the reference describes what is sent: JSON Schema 2020-12, as OpenAPI 3.1 uses it. A schema that a
 * module of this folder exports is a component under that name, and others refer to it.
 */

/** A JSON Schema, with the keywords that the reference uses. */
export interface Schema {
  $ref?: string;
  /** The component that it refers to, until the document is made. */
  like?: Schema;
  title?: string;
  description?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  unevaluatedProperties?: boolean;
  minProperties?: number;
  items?: Schema;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  not?: Schema;
  if?: Schema;
  then?: Schema;
  else?: Schema;
  enum?: readonly unknown[];
  const?: unknown;
  default?: unknown;
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  example?: unknown;
}

/** A field that can be missing. */
interface Optional {
  optional: Schema;
}

/** Fields by name. */
type Fields = Readonly<Record<string, Schema | Optional>>;

/** A field that can be missing. */
export const optional = (schema: Schema): Optional => ({ optional: schema });

const isOptional = (field: Schema | Optional): field is Optional => 'optional' in field;

function fieldsOf(fields: Fields): Pick<Schema, 'required' | 'properties'> {
  const names = Object.keys(fields).filter((name) => !isOptional(fields[name] as Schema));
  const properties = Object.entries(fields).map(([name, field]) => [
    name,
    isOptional(field) ? field.optional : field,
  ]);
  return {
    ...(names.length > 0 && { required: names }),
    properties: Object.fromEntries(properties),
  };
}

/** An object with these fields and no others. */
export const object = (fields: Fields, more: Schema = {}): Schema => ({
  type: 'object',
  ...more,
  ...fieldsOf(fields),
  additionalProperties: false,
});

/** An object that can have more fields. */
export const open = (fields: Fields, more: Schema = {}): Schema => ({
  type: 'object',
  ...more,
  ...fieldsOf(fields),
});

type Describe = (description?: string, more?: Schema) => Schema;

const described =
  (base: Schema): Describe =>
  (description, more = {}) => ({
    ...base,
    ...(description !== undefined && { description }),
    ...more,
  });

export const text = described({ type: 'string' });
export const whole = described({ type: 'integer' });
export const decimal = described({ type: 'number' });
export const flag = described({ type: 'boolean' });
/** An instant, in ISO 8601. */
export const instant = described({ type: 'string', format: 'date-time' });
/** A day, `YYYY-MM-DD`. */
export const day = described({ type: 'string', format: 'date' });

/** A text that is one of these; where they are explained, its description lists what each of them means. */
export function choice(
  values: readonly string[] | Readonly<Record<string, string>>,
  description?: string,
  more?: Schema,
): Schema {
  if (Array.isArray(values)) return { ...text(description, more), enum: values };
  const rows = Object.entries(values).map(([value, meaning]) => `- \`${value}\`: ${meaning}\n`);
  return {
    ...text(`${description}:\n\n${rows.join('')}`, more),
    enum: Object.keys(values),
  };
}

/** Always this value. */
export const only = (value: unknown, description?: string): Schema => ({
  const: value,
  ...(description !== undefined && { description }),
});

export const list = (items: Schema, description?: string, more?: Schema): Schema => ({
  ...described({ type: 'array' })(description, more),
  items,
});

/** A component, with a description of its own. */
export const like = (component: Schema, description?: string, more?: Schema): Schema => ({
  ...described({ like: component })(description, more),
});

/** Null instead, too. */
export const orNull = (schema: Schema): Schema =>
  schema.enum === undefined
    ? { ...schema, type: [schema.type as string, 'null'] }
    : { ...schema, type: [schema.type as string, 'null'], enum: [...schema.enum, null] };

/** A component or null. */
export const likeOrNull = (component: Schema, description?: string, more?: Schema): Schema =>
  described({ anyOf: [component, { type: 'null' }] })(description, more);

/** If a value fits a schema, it fits the next one too; if not, the last one. */
export const when = (fits: Schema, then: Schema, otherwise?: Schema): Schema => ({
  if: fits,
  then,
  ...(otherwise && { else: otherwise }),
});

/** An object with the fields of a component and these. */
export const extended = (component: Schema, fields: Fields, more: Schema = {}): Schema => ({
  ...more,
  allOf: [component],
  ...fieldsOf(fields),
});
