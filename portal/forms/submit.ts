import type { ObjectSchema } from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import type { Audience, PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { browserMarkOf } from './decimal-mark.ts';
import { defaultMessages } from './default-messages.ts';
import { type FieldContext, fieldNames } from './fields.ts';

/** The values of a form by field, and its errors; '' is the key for the whole form. */
export interface Filled {
  values: Readonly<Record<string, string | string[]>>;
  errors: Readonly<Record<string, string>>;
}

export const emptyForm: Filled = { values: {}, errors: {} };

/** A form filled with stored values. */
export function filledWith(values: Record<string, string | number | null | undefined>): Filled {
  const texts = Object.entries(values).map(([name, value]) => [name, String(value ?? '')]);
  return { values: Object.fromEntries(texts), errors: {} };
}

/** What was entered in the form that has this field, on a page with several; `emptyForm` if nothing was. */
export const filledWhere = (name: string, filled: Filled | undefined): Filled =>
  filled !== undefined && (name in filled.values || name in filled.errors) ? filled : emptyForm;

/** Errors by field that the schema cannot find; empty if there are none. */
export type Problems = Record<string, string>;

/**
 * An error in a single field that an action found while running; anything that can be known before belongs
 * in `check`.
 */
export class FieldError extends Error {
  override name = 'FieldError';
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

/** A form's fields and what submitting it does. */
export interface Action<A extends Audience, Values> {
  /** Schema of the fields, as text; an empty field counts as absent. */
  schema: ObjectSchema<Values>;
  /**
   * Further checks before anything is done, so that all problems show at once.
   * @param values of the fields that are well-formed
   */
  check?(
    ctx: PageContext<A>,
    deps: PageDeps,
    values: Partial<Values>,
  ): Problems | Promise<Problems>;
  /** Does it, then redirects. A ServiceError with a 4xx status, or a FieldError, shows the form again. */
  act(ctx: PageContext<A>, deps: PageDeps, values: Values): Promise<void>;
  /** The currency of the form's amounts, if it has no field for it; by default that of the partner who submits it. */
  currency?(ctx: PageContext<A>, deps: PageDeps): Promise<string>;
  /** Shows the form again with its values and errors; if absent, an error page is shown. */
  retry?(ctx: PageContext<A>, deps: PageDeps, filled: Filled): void | Promise<void>;
}

/** Validates a submitted form and runs its action, or shows it again with all its errors. */
export async function submit<A extends Audience, Values>(
  ctx: PageContext<A>,
  deps: PageDeps,
  { schema, check, act, retry, currency }: Action<A, Values>,
): Promise<void> {
  const sent = ctx.state.form ?? {};
  const given = Object.entries(sent).filter(([, value]) => value !== '');
  const { viewer } = ctx.state;
  const own = viewer?.kind === 'partner' ? viewer.partner.currency : undefined;
  const context: FieldContext = {
    currency: currency ? await currency(ctx, deps) : own,
    mark: browserMarkOf(ctx),
  };
  const { value, error } = asForm(schema).validate(Object.fromEntries(given), { context });
  try {
    const wrong = (error?.details ?? []).map(({ path, message }) => [
      String(path[0] ?? ''),
      message,
    ]);
    const malformed: Problems = Object.fromEntries(wrong.toReversed());
    const sound = Object.entries(value).filter(([name]) => malformed[name] === undefined);
    const found = await check?.(ctx, deps, Object.fromEntries(sound) as Partial<Values>);
    const problems = { ...found, ...malformed };
    if (Object.keys(problems).length > 0) throw new FormError(problems);
    await act(ctx, deps, value);
  } catch (thrown) {
    const errors = errorsOf(thrown, [...fieldNames(schema), ...Object.keys(sent)]);
    if (!errors) throw thrown;
    if (!retry) throw asServiceError(thrown, errors);
    ctx.status = thrown instanceof ServiceError ? thrown.status : 422;
    ctx.state.code = thrown instanceof ServiceError ? thrown.code : 'VALIDATION_FAILED';
    if (thrown instanceof ServiceError) ctx.set(thrown.headers);
    ctx.state.problems = errors;
    await retry(ctx, deps, { values: withoutSecrets(sent), errors });
  }
}

const formSchemas = new WeakMap<ObjectSchema, ObjectSchema>();

/** The schema with all errors reported. Cached, because creating it costs more than a validation. */
function asForm<Values>(schema: ObjectSchema<Values>): ObjectSchema<Values> {
  const known = formSchemas.get(schema);
  if (known) return known;
  const made = schema.prefs({
    abortEarly: false,
    messages: defaultMessages,
  });
  formSchemas.set(schema, made);
  return made;
}

class FormError extends Error {
  readonly errors: Record<string, string>;

  constructor(errors: Record<string, string>) {
    super('the form has errors');
    this.errors = errors;
  }
}

/** @param names the fields of the form; errors in other fields are shown above it */
function errorsOf(thrown: unknown, names: readonly string[]): Problems | null {
  if (thrown instanceof FormError) return thrown.errors;
  if (thrown instanceof FieldError) return { [thrown.field]: thrown.message };
  const isRefusal = thrown instanceof ServiceError && thrown.status < 500;
  if (!isRefusal || thrown.code === 'NOT_FOUND' || thrown.code === 'FORBIDDEN') return null;
  const problems = Object.entries(thrown.fields).map(([path, message]) => {
    const name = path.split('.').at(-1) ?? '';
    return names.includes(name)
      ? { name, message: withoutName(message, path) }
      : { name: '', message };
  });
  if (problems.length === 0) return { '': thrown.message };
  const above = problems.flatMap(({ name, message }) => (name === '' ? [message] : []));
  return {
    ...Object.fromEntries(problems.map(({ name, message }) => [name, message])),
    ...(above.length > 0 && { '': above.join('; ') }),
  };
}

/** A message next to its field need not name it: "points must be 1" becomes "Must be 1". */
function withoutName(message: string, path: string): string {
  const rest = message.startsWith(path) ? message.slice(path.length).replace(/^:? /, '') : message;
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

function asServiceError(thrown: unknown, errors: Record<string, string>): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  return new ServiceError('VALIDATION_FAILED', Object.values(errors)[0] ?? 'Something is missing.');
}

/** Passwords and codes have to be entered again: no page repeats them. */
export function withoutSecrets(sent: Filled['values']): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(sent).filter(([name]) => !/password|secret|^code$/i.test(name)),
  );
}
