import type { Filled } from '../forms/submit.ts';
import { countries } from '../words/country-words.ts';
import { select } from './form.ts';
import type { Html } from './html.ts';

/** Chosen by name: the code of another country looks as right as one's own. */
export function countryField(filled: Filled, hint?: string): Html {
  return select({
    ...{ name: 'country', label: 'Country', filled, isRequired: true, ...(hint && { hint }) },
    choices: [{ value: '', text: 'Choose a country' }, ...countries],
  });
}
