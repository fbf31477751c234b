import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import { searchText } from '../../http/query.ts';
import { pastedText } from '../../platform/csv.ts';
import { utcDay } from '../../platform/validation.ts';
import { findPartnersByName, type NamedPartner, readPartnerChoices } from '../../views/search.ts';
import { wordsOf } from '../components/components.ts';
import type { Choice } from '../components/form.ts';
import type { PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { type IdFilter, idSchema, notAnId } from '../routing/params.ts';

/** A filter of a list: a parameter of its address, a control of its form, and a field of its query. */
export interface Filter<Value = unknown> {
  label: string;
  /** Of the parameter. */
  schema: Joi.Schema;
  /** The parameter; the field's name if absent. */
  name?: string;
  /** Without them, it is a text or a day. The first means any, or is the one shown by default. */
  choices?: readonly Choice[];
  type?: 'date';
  placeholder?: string;
  /** Set if it takes an id: any other text matches nothing. */
  id?: IdFilter;
  /** It selects one of several lists and narrows none of them. */
  isView?: true;
  /** Shown only in an address that has it. */
  isLinked?: true;
  /** Never set: the type of the field. */
  value?: Value;
}

/** The filters of a list by the fields of its query, in the order of the form. */
export type Filters = Readonly<Record<string, Filter>>;

export type FilterOf<F extends Filters> = {
  [Field in keyof F]: F[Field] extends Filter<infer Value> ? Value : never;
};

/** A choice of one value, or any. */
export const choiceFilter = <const Value extends string>(
  label: string,
  values: readonly Value[],
  textOf: (value: Value) => string = wordsOf,
): Filter<Value | undefined> => ({
  label,
  schema: Joi.string().valid(...values),
  choices: [any, ...values.map((value) => ({ value, text: textOf(value) }))],
});

const any = { value: '', text: 'Any' };

/** A choice of one of several lists, with its words; the first is shown by default. */
export function viewFilter<Value extends string>(
  label: string,
  words: Readonly<Record<Value, string>>,
): Filter<Value> {
  const values = Object.keys(words) as Value[];
  return {
    label,
    schema: Joi.string()
      .valid(...values)
      .default(values[0]),
    choices: values.map((value) => ({ value, text: words[value] })),
    isView: true,
  };
}

/** A box to tick, as a choice. @param text what its one value means */
export const flagFilter = (
  name: string,
  label: string,
  text: string,
): Filter<true | undefined> => ({
  name,
  label,
  schema: Joi.string()
    .pattern(/^YES$/)
    .custom(() => true),
  choices: [any, { value: 'YES', text }],
});

/** A text that has to match as a whole, unless the query says otherwise. */
export const textFilter = (
  name: string,
  label: string,
  placeholder = '',
): Filter<string | undefined> => ({ name, label, placeholder, schema: searchText });

/** An order's id; one that is pasted back from a spreadsheet is as it was sent. */
export const ofOrder = (): Filter<string | undefined> => ({
  name: 'order',
  label: 'Order',
  schema: searchText.custom(pastedText),
});

/** An id. @param placeholder how such an id begins */
export const idFilter = (
  id: IdFilter,
  label: string,
  placeholder: string,
): Filter<string | undefined> => ({ name: id, id, label, placeholder, schema: idSchema(id) });

const day = (name: string, label: string): Filter<string | undefined> => ({
  name,
  label,
  type: 'date',
  schema: utcDay,
});

/** UTC days, inclusive. */
export const days = { fromDay: day('from', 'From'), toDay: day('to', 'To') };

/** LIVE or TEST. */
export const ofMode = { mode: choiceFilter('Mode', ['LIVE', 'TEST']) };

/** A partner, by name or id. */
export const ofPartner = { partnerId: textFilter('partner', 'Partner', 'Name or ID') };

/** What an address asks of a list. */
export interface Asked<F extends Filters = Filters> {
  filters: F;
  /** For the list's query. */
  filter: FilterOf<F>;
  /** Texts that are not ids, which the list cannot match; possibly personal data, so they are not looked up. */
  unmatched: readonly { id: IdFilter; typed: string }[];
  /** Set if the list can be filtered by partner: the names offered, the text, and the partners that it matches. */
  partners?: { offered: readonly NamedPartner[]; typed: string | undefined; found: NamedPartner[] };
  nowMs: number;
}

/** Ids that nothing has: filtering by them gives an empty list. */
const [nothing, nobody] = ['none', 'prt_none'];

/**
 * What the address of a list asks for; empty parameters, which forms send, count as absent.
 * @throws ServiceError NOT_FOUND for a query that none of our pages link to
 */
export async function asked<F extends Filters>(
  { query }: Pick<PageContext, 'query'>,
  deps: PageDeps,
  filters: F,
): Promise<Asked<F>> {
  const unmatched: { id: IdFilter; typed: string }[] = [];
  const parsed = (field: string, { name = field, schema, id }: Filter): unknown => {
    const typed = query[name] === '' ? undefined : query[name];
    const { value, error } = schema.validate(typed);
    if (!error) return value;
    if (error.details[0]?.type !== notAnId || !id) {
      throw new ServiceError('NOT_FOUND', 'This address is not valid.');
    }
    unmatched.push({ id, typed: String(typed) });
    return nothing;
  };
  const entries = Object.entries(filters).map(([field, one]) => [field, parsed(field, one)]);
  const filter = Object.fromEntries(entries) as FilterOf<F>;
  const common = { filters, unmatched, nowMs: deps.now() };
  if (!('partnerId' in filters)) return { ...common, filter };
  const typed = filter.partnerId as string | undefined;
  const [offered, found] = await Promise.all([readPartnerChoices(deps), partnersOf(deps, typed)]);
  const partnerId = partnerIdOf(typed, found);
  return { ...common, filter: { ...filter, partnerId }, partners: { offered, typed, found } };
}

const partnersOf = async (deps: PageDeps, typed: string | undefined): Promise<NamedPartner[]> =>
  typed === undefined ? [] : await findPartnersByName(deps, typed);

/** The partner that a text names; if it matches none or several, nobody. */
function partnerIdOf(typed: string | undefined, found: readonly NamedPartner[]) {
  if (typed === undefined) return undefined;
  return found.length === 1 ? found[0]?._id : nobody;
}

/** The schema of the parameters, as a form sends them. */
export const schemaOf = (filters: Filters): Joi.ObjectSchema<Record<string, unknown>> =>
  Joi.object(
    Object.fromEntries(
      Object.entries(filters).map(([field, { name = field, schema }]) => [name, schema]),
    ),
  );

/** The fields that parameters stand for. @param sent validated by `schemaOf` */
export const fieldsOf = <F extends Filters>(
  filters: F,
  sent: Record<string, unknown>,
): FilterOf<F> =>
  Object.fromEntries(
    Object.entries(filters).map(([field, { name = field }]) => [field, sent[name]]),
  ) as FilterOf<F>;

/** Like `fieldsOf`, with the partner that a text names. */
export async function filterOf<F extends Filters>(
  deps: PageDeps,
  filters: F,
  sent: Record<string, unknown>,
): Promise<FilterOf<F>> {
  const filter = fieldsOf(filters, sent);
  const typed = filter.partnerId as string | undefined;
  return { ...filter, partnerId: partnerIdOf(typed, await partnersOf(deps, typed)) };
}
