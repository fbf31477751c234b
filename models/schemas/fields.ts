import { Schema, type SchemaDefinition, type SchemaOptions } from 'mongoose';

/** What a declaration declares the type of; exists in types only. */
declare const stored: unique symbol;
export interface Declares<Value> {
  readonly [stored]: Value;
}

/** What mongoose is told of a field. */
interface Definition {
  type: unknown;
  required?: boolean;
  enum?: readonly string[];
  default?: unknown;
}

/** A field. If its type includes `undefined`, the field may be absent. */
export type Field<Value> = Definition & Declares<Value>;

/** The type of what is stored, inferred from its declaration: a collection's schema, or a field. */
export type Stored<Declaration> = Declaration extends Declares<infer Value> ? Value : never;

type Fields = Record<string, Declares<unknown>>;

type Document<F extends Fields> = Flat<
  {
    [Name in keyof F as undefined extends Stored<F[Name]> ? never : Name]: Stored<F[Name]>;
  } & {
    [Name in keyof F as undefined extends Stored<F[Name]> ? Name : never]?: Exclude<
      Stored<F[Name]>,
      undefined
    >;
  }
>;
/** The same type, as editors should show it. */
type Flat<Type> = { [Name in keyof Type]: Type[Name] } & {};

/** A field by its definition, for what the functions below do not cover. */
export function schemaField<Value>(definition: Definition): Field<Value> {
  return definition as Field<Value>;
}

export const text = typedText<string>();
export const number = schemaField<number>({ type: Number, required: true });
export const date = schemaField<Date>({ type: Date, required: true });
export const flag = schemaField<boolean>({ type: Boolean, required: true });
/** Set or absent. */
export const mark = schemaField<true | undefined>({ type: Boolean });

/** A text of which only the type says what it can be. */
export function typedText<Value extends string>(): Field<Value> {
  return schemaField({ type: String, required: true });
}

/** One of these texts; mongoose checks it when a document is created. */
export function oneOf<const Value extends string>(values: readonly Value[]): Field<Value> {
  return schemaField({ type: String, enum: values, required: true });
}

/** Any value, which mongoose neither checks nor converts. */
export function mixed<Value>(): Field<Value> {
  return schemaField({ type: Schema.Types.Mixed, required: true });
}

/** An object within a document. */
export function part<F extends Fields>(fields: F): Field<Document<F>> {
  const schema = new Schema(fields as SchemaDefinition, { _id: false });
  return schemaField({ type: schema, required: true });
}

export function listOf<Value>(item: Field<Value>): Field<Value[]> {
  return schemaField({ type: [unchecked(item)], required: true });
}

/** Null without a value, which is the default. */
export function nullable<Value>(of: Field<Value>): Field<Value | null> {
  return schemaField({ ...unchecked(of), default: null });
}

/** Absent without a value; also a list, which mongoose would store as an empty one. */
export function optional<Value>(of: Field<Value>): Field<Value | undefined> {
  return schemaField({ default: undefined, ...unchecked(of) });
}

export function withDefault<Value>(of: Field<Value>, value: Value): Field<Value> {
  return schemaField({ ...unchecked(of), default: value });
}

/** Always stored, which only the type says: mongoose takes an empty text for a missing one. */
export function unchecked<Value>(of: Field<Value>): Field<Value> {
  const { required: _, ...definition } = of;
  return schemaField(definition);
}

/** The schema of a collection. */
export function collection<F extends Fields>(name: string, fields: F, options: SchemaOptions = {}) {
  const schema: Schema = new Schema(fields as SchemaDefinition, {
    collection: name,
    versionKey: false,
    lean: true,
    ...options,
  });
  return schema as Schema & Declares<Document<F>>;
}

/**
 * The schema of a collection whose documents the domain declares (domain/draft.ts). Commits write them (models/commit.ts), so
 * that mongoose neither checks nor converts what they contain.
 */
export function declared<Doc>(name: string) {
  const asIs = { versionKey: false, lean: true, strict: false, minimize: false } as const;
  const options = { collection: name, ...asIs };
  return new Schema({ _id: String }, options) as unknown as Schema & Declares<Doc>;
}
