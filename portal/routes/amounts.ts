import Joi from 'joi';
import { parseCents } from '../../domain/money.ts';
import { amountPath } from '../components/form.ts';
import { moneyText } from '../components/format.ts';
import type { PageContext } from '../context.ts';
import { currencyField } from '../forms/fields.ts';
import { queryOf } from '../routing/query.ts';
import type { Routes } from '../routing/route-table.ts';

const text = Joi.string().trim().max(40);
const schema = Joi.object<Record<string, string>>({ currency: currencyField }).pattern(
  Joi.string().max(40),
  text,
);

/** What is read of an amount as it is typed, before it counts. */
export function amountRoutes(routes: Routes): void {
  routes.page({ path: amountPath, audience: 'user', permission: null }, readAmount);
}

function readAmount(ctx: PageContext<'user'>): void {
  const { currency = 'USD', mode: _mode, ...typed } = queryOf(ctx, schema);
  const [amount = ''] = Object.values(typed);
  const cents = parseCents(amount, currency);
  ctx.type = 'text/plain';
  ctx.body = cents === undefined ? '' : `Read as ${moneyText(cents, currency)}`;
}
