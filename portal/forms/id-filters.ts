import Joi from 'joi';
import { paramKinds } from '../routing/params.ts';

const anyId = '[A-Za-z]{3}_[\\w-]{26,32}';

/** What the filters that take an id look like: a text of another form names nothing, and may name somebody. */
const forms = {
  customer: paramKinds.customer,
  reward: paramKinds.reward,
  actor: /^(?:system|(?:opr|usr|sva)_[0-9A-Z]{26})$/,
  target: new RegExp(`^${anyId}$`),
  account: new RegExp(`^[A-Za-z]+(?::${anyId})?$`),
} as const satisfies Record<string, RegExp>;

export type IdFilter = keyof typeof forms;

/** What joi calls a text that is no id of its filter. */
export const notAnId = 'string.pattern.name';

export const idFilter = (filter: IdFilter) => Joi.string().pattern(forms[filter], 'id');

/** The same for a browser, which then does not put another text into an address. */
export const patternOf = (filter: IdFilter): string => forms[filter].source.slice(1, -1);
