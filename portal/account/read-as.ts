import Joi from 'joi';
import { assertNever } from '../../domain/assert-never.ts';
import { microsText, parseCents, parseMicros } from '../../domain/money.ts';
import { parseCount, parseDecimal } from '../../domain/numbers.ts';
import { type Reading, readAsPath, readings } from '../components/form.ts';
import { moneyText, numberText } from '../components/format.ts';
import type { PageContext } from '../context.ts';
import { browserMarkOf } from '../forms/decimal-mark.ts';
import { currencyField } from '../forms/fields.ts';
import { queryOf } from '../routing/query.ts';
import type { RoutesOf } from '../routing/route-table.ts';

const text = Joi.string().trim().max(40);

const schema = Joi.object<Record<string, string> & { as: Reading }>({
  as: Joi.valid(...readings).default('count'),
  currency: currencyField,
}).pattern(Joi.string().max(40), text);

/** What is read of a number as it is typed, before it counts. */
export function readAsRoutes(routes: RoutesOf<'user'>): void {
  routes.page(readAsPath, showRead);
}

function showRead(ctx: PageContext<'user'>): void {
  const { as, currency = 'USD', mode: _mode, ...typed } = queryOf(ctx, schema);
  const [number = ''] = Object.values(typed);
  const read = readOf(as, number, currency, browserMarkOf(ctx));
  ctx.type = 'text/plain';
  ctx.body = read === undefined ? '' : `Read as ${read}`;
}

function readOf(
  as: Reading,
  text: string,
  currency: string,
  mark: ReturnType<typeof browserMarkOf>,
): string | undefined {
  const shown = (number: number | undefined, words: (number: number) => string) =>
    number === undefined ? undefined : words(number);
  switch (as) {
    case 'amount':
      return shown(parseCents(text, currency, mark), (cents) => moneyText(cents, currency));
    case 'price':
      return shown(parseMicros(text, mark), (micros) => microsText(micros, currency));
    case 'factor':
      return shown(parseDecimal(text, 2, mark), (hundredths) => numberText(hundredths / 100));
    case 'count':
      return shown(parseCount(text), numberText);
    default:
      return assertNever(as, 'reading');
  }
}
