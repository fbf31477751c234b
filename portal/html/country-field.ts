import type { Filled } from '../forms/submit.ts';
import { countries } from '../words/country-words.ts';
import { say } from '../words/say.ts';
import { select } from './form.ts';
import type { Html } from './html.ts';

/** A list of names rather than a code field: a wrong code looks as plausible as the right one. */
export function countryField(filled: Filled, hint?: string): Html {
  return select({
    name: 'country',
    label: say('common.country'),
    filled,
    isRequired: true,
    ...(hint && { hint }),
    choices: [{ value: '', text: say('countryField.chooseACountry') }, ...countries],
  });
}
