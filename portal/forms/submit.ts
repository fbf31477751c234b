import type { ObjectSchema } from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import type { Audience, PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';

/** What stands in a form that is shown: values by field, and what is wrong; '' is for the whole form. */
export interface Filled {
  values: Readonly<Record<string, string | string[]>>;
  errors: Readonly<Record<string, string>>;
}

export const emptyForm: Filled = { values: {}, errors: {} };

/** A form whose fields are filled with what is stored. */
export function filledWith(values: Record<string, string | number | null | undefined>): Filled {
  const texts = Object.entries(values).map(([name, value]) => [name, String(value ?? '')]);
  return { values: Object.fromEntries(texts), errors: {} };
}

/** What an action found wrong with one field. */
export class FieldError extends Error {
  override name = 'FieldError';
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

interface Submission<A extends Audience, Values> {
  schema: ObjectSchema<Values>;
  act(ctx: PageContext<A>, deps: PageDeps, values: Values): Promise<void>;
  retry?(ctx: PageContext<A>, deps: PageDeps, filled: Filled): void | Promise<void>;
}

/** Checks what was sent and does what the form is for, or shows it again with what is wrong. */
export async function submit<A extends Audience, Values>(
  ctx: PageContext<A>,
  deps: PageDeps,
  { schema, act, retry }: Submission<A, Values>,
): Promise<void> {
  const sent = ctx.state.form ?? {};
  const given = Object.entries(sent).filter(([, value]) => value !== '');
  const { value, error } = schema.validate(Object.fromEntries(given), {
    abortEarly: false,
    errors: { wrap: { label: false } },
  });
  try {
    if (error) {
      const wrong = error.details.map(({ path, message }) => [String(path[0] ?? ''), message]);
      throw new FormError(Object.fromEntries(wrong.toReversed()));
    }
    await act(ctx, deps, value);
  } catch (thrown) {
    const errors = errorsOf(thrown);
    if (!errors) throw thrown;
    if (!retry) throw asServiceError(thrown, errors);
    ctx.status = thrown instanceof ServiceError ? thrown.status : 422;
    ctx.state.code = thrown instanceof ServiceError ? thrown.code : 'VALIDATION_FAILED';
    if (thrown instanceof ServiceError) ctx.set(thrown.headers);
    await retry(ctx, deps, { values: withoutSecrets(sent), errors });
  }
}

class FormError extends Error {
  readonly errors: Record<string, string>;

  constructor(errors: Record<string, string>) {
    super('the form is not filled in as it should be');
    this.errors = errors;
  }
}

function errorsOf(thrown: unknown): Record<string, string> | null {
  if (thrown instanceof FormError) return thrown.errors;
  if (thrown instanceof FieldError) return { [thrown.field]: thrown.message };
  const isRefusal = thrown instanceof ServiceError && thrown.status < 500;
  return isRefusal && thrown.code !== 'NOT_FOUND' && thrown.code !== 'FORBIDDEN'
    ? { '': thrown.message }
    : null;
}

function asServiceError(thrown: unknown, errors: Record<string, string>): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  return new ServiceError('VALIDATION_FAILED', Object.values(errors)[0] ?? 'Something is missing.');
}

/** Passwords and codes are typed anew: no page repeats one. */
export function withoutSecrets(sent: Filled['values']): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(sent).filter(([name]) => !/password|secret|^code$/i.test(name)),
  );
}
