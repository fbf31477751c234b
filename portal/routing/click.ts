import Joi, { type ObjectSchema } from 'joi';
import type { Mode } from '../../domain/mode.ts';
import type { PartnerPermission } from '../../domain/partners.ts';
import { param } from '../../http/context.ts';
import { type AnyOperation, type Operation, ownAccount } from '../../operations/operation.ts';
import { type Audience, type PageContext, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { fieldNames } from '../forms/fields.ts';
import type { Action } from '../forms/submit.ts';
import { carryOut, whenDone } from '../operate.ts';
import type { Needs, PageHandler, PermissionByMode } from './route.ts';

/**
 * How a page carries out an operation. Who may, the second factor and the approval are the operation's own; an error
 * stands beside its field, and what was typed is kept.
 */
export interface Click<A extends Audience, Values, Input, Outcome>
  extends Pick<Needs<A>, 'modeOf' | 'params' | 'takesFile'> {
  /** The page of its form, if that has one of its own: it gets the same address, and needs the same. */
  page?: PageHandler<A>;
  /** The page that has its form; without either, an error page is shown. */
  on?: PageHandler<A>;
  /** The form's fields, by default none: then it is a button. */
  form?: ObjectSchema<Values>;
  /** Instead of `form`: the operation's own fields that the form has. */
  fields?: readonly (keyof Input & string)[];
  /** Further checks of the form, so that all problems show at once. */
  check?: Action<A, Values>['check'];
  /** The currency of the form's amounts, if it has no field for it and is not a partner's own. */
  currency?: Action<A, Values>['currency'];
  /** Refuses a sound form before it is carried out, such as the ninth in a minute. */
  before?(ctx: PageContext<A>, deps: PageDeps, values: Values): void | Promise<void>;
  /**
   * What the form means to the operation, by default its fields. The parameters of the path and the viewer's own
   * partner are added to it, and only what the operation knows is taken.
   */
  input?: Partial<Input> | Meant<A, Values, Input>;
  /** The next page; `:name` stands for a parameter of the path. */
  to?: string | Told<A, Values, Outcome>;
  /** What the next page says. */
  said?: string | Told<A, Values, Outcome>;
  /** Instead of `to` and `said`. */
  done?(
    ctx: PageContext<A>,
    deps: PageDeps,
    outcome: Outcome,
    values: Values,
  ): void | Promise<void>;
}

type Meant<A extends Audience, Values, Input> = (
  values: Values,
  ctx: PageContext<A>,
  deps: PageDeps,
) => Partial<Input> | Promise<Partial<Input>>;

type Told<A extends Audience, Values, Outcome> = (
  outcome: Outcome,
  values: Values,
  ctx: PageContext<A>,
) => string;

/** What a route needs of its audience, if it carries out an operation. */
export function needsOf<A extends Audience>(audience: A, given: Needs<A>): Needs<A> {
  const { operation, modeOf } = given;
  if (operation === undefined) return given;
  const { name, permission, secondFactor } = operation;
  const allowed = permission === ownAccount ? null : permission;
  const own = audience === 'operator' ? allowed?.operator : allowed && ofUser(allowed.user, modeOf);
  if ((audience === 'user') !== (allowed === null) || (allowed !== null && own === null)) {
    throw new Error(`${name} is not for ${audience}`);
  }
  // An operator's route does not know in which mode the record is; a partner's own mode is known.
  const whereLive = audience === 'operator' ? true : modeOf === undefined && 'LIVE';
  return {
    ...given,
    permission: own ?? null,
    secondFactor:
      given.secondFactor ?? (secondFactor === 'LIVE' ? whereLive : secondFactor === 'ALWAYS'),
  } as Needs<A>;
}

/** Without a mode, the permission that TEST takes: the operation asks for LIVE's. */
function ofUser(
  user: PartnerPermission | Record<Mode, PartnerPermission> | null,
  modeOf: PermissionByMode['modeOf'] | undefined,
): PartnerPermission | PermissionByMode | null {
  if (user === null) return null;
  const byMode = typeof user === 'string' ? { TEST: user, LIVE: user } : user;
  return modeOf === undefined ? byMode.TEST : { ...byMode, modeOf };
}

/** The form's action that carries out an operation. */
export function actionOf<
  A extends Audience,
  Values,
  Input extends object,
  Outcome,
  Found,
  Approval,
>(
  operation: Operation<Input, Outcome, Found, PageDeps, Approval>,
  click: Click<A, Values, Input, Outcome>,
): Action<A, Values> {
  const { check, currency, before, input, to, said, done, form, fields = [] } = click;
  const retry = click.page ?? click.on;
  const known = new Set(fieldNames(operation.input));
  return {
    schema: form ?? fieldsOf(operation.input, fields),
    ...(check && { check }),
    ...(currency && { currency }),
    ...(retry && { retry }),
    async act(ctx, deps, values) {
      await before?.(ctx, deps, values);
      const meant = typeof input === 'function' ? await input(values, ctx, deps) : input;
      const own = Object.entries({ ...(meant ?? values), ...givenBy(ctx) }).filter(([name]) =>
        known.has(name),
      );
      const viewing = ctx as unknown as PageContext<'user'>;
      const executed = await carryOut<Outcome>(
        viewing,
        deps,
        operation as AnyOperation,
        Object.fromEntries(own),
      );
      await whenDone(viewing, executed, async (outcome) => {
        if (done) return await done(ctx, deps, outcome, values);
        const tell = (text: typeof said) =>
          typeof text === 'function' ? text(outcome, values, ctx) : text;
        redirect(ctx, filled(ctx, tell(to) ?? '/'), tell(said));
      });
    },
  };
}

/** Fields of an operation, with its own checks of each. */
const fieldsOf = (schema: ObjectSchema, names: readonly string[]): ObjectSchema =>
  Joi.object(Object.fromEntries(names.map((name) => [name, schema.extract(name)])));

/** The parameters of the path, and the viewer's own partner. */
function givenBy({ params, state: { viewer } }: Pick<PageContext, 'params' | 'state'>) {
  return { ...params, ...(viewer?.kind === 'partner' && { partnerId: viewer.partner._id }) };
}

const filled = (ctx: Pick<PageContext, 'params'>, path: string): string =>
  path.replace(/:(\w+)/g, (_, name: string) => param(ctx, name));
