import { timeZones } from '../../domain/time-zones.ts';
import type { Filled } from '../forms/submit.ts';
import { countries } from '../words/words.ts';
import { select } from './form.ts';
import type { Html } from './format.ts';

/** A list of names rather than a code field: a wrong code looks as plausible as the right one. */
export function countrySelect(filled: Filled, hint?: string): Html {
  return select({
    name: 'country',
    label: 'Country',
    filled,
    isRequired: true,
    ...(hint && { hint }),
    choices: [{ value: '', text: 'Choose a country' }, ...countries],
  });
}

/** The time zone of a partner's customers, which has to be chosen where the country has several. */
export const timeZoneSelect = (filled: Filled): Html =>
  select({
    name: 'timeZone',
    label: 'Time zone',
    filled,
    hint: 'In which your customers’ days begin and end. Choose one if your country has several.',
    choices: [
      { value: '', text: 'That of the country' },
      ...timeZones.map((zone) => ({ value: zone, text: zone.replaceAll('_', ' ') })),
    ],
  });
