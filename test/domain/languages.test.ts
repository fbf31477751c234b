import test from 'ava';
import { languageOfCountry } from '../../domain/languages.ts';

for (const [country, language] of [
  ['US', 'en'],
  ['GB', 'en'],
  ['DE', 'de'],
  ['AT', 'de'],
  ['CH', 'de'],
  ['FR', 'fr'],
  ['MX', 'es'],
  ['NL', 'en'],
  ['JP', 'en'],
] as const) {
  test(`messages to customers in ${country} begin in ${language}`, (t) => {
    t.is(languageOfCountry(country), language);
  });
}
