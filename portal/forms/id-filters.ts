import Joi from 'joi';
import { paramKinds } from '../routing/params.ts';

const anyId = '[A-Za-z]{3}_[\\w-]{26,32}';

/** The format of each filter that takes an id. Any other text matches nothing and may be personal data. */
const forms = {
  customer: paramKinds.customer,
  reward: paramKinds.reward,
  actor: /^(?:system|(?:opr|usr|sva)_[0-9A-Z]{26})$/,
  target: new RegExp(`^${anyId}$`),
  account: new RegExp(`^[A-Za-z]+(?::${anyId})?$`),
} as const satisfies Record<string, RegExp>;

export type IdFilter = keyof typeof forms;

/** Joi's error type for a text that is not an id. */
export const notAnId = 'string.pattern.name';

export const idFilter = (filter: IdFilter) => Joi.string().pattern(forms[filter], 'id');

/** The pattern for browsers, which keep other text out of the address. */
export const patternOf = (filter: IdFilter): string => forms[filter].source.slice(1, -1);
