import type { Filled } from '../forms/submit.ts';
import { countries } from '../words/words.ts';
import { select } from './form.ts';
import type { Html } from './format.ts';

/** A list of names rather than a code field: a wrong code looks as plausible as the right one. */
export function countryField(filled: Filled, hint?: string): Html {
  return select({
    name: 'country',
    label: 'Country',
    filled,
    isRequired: true,
    ...(hint && { hint }),
    choices: [{ value: '', text: 'Choose a country' }, ...countries],
  });
}
