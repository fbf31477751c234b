import { common } from './common.ts';
import { company } from './company.ts';
import { console } from './console.ts';
import { errors } from './errors.ts';
import { events } from './events.ts';
import { fields } from './fields.ts';
import { keys } from './keys.ts';
import { layout } from './layout.ts';
import { money } from './money.ts';
import { operatorHome } from './operator-home.ts';
import { operatorPartners } from './operator-partners.ts';
import { operatorRecords } from './operator-records.ts';
import { operatorReviews } from './operator-reviews.ts';
import { reconciliation } from './reconciliation.ts';
import { rules } from './rules.ts';
import { setUp } from './set-up.ts';
import { signIn } from './sign-in.ts';
import { webhooks } from './webhooks.ts';

/** The texts of the portal’s pages, as ICU messages. A key names the page, then the text's role there. */
export const messages = {
  ...operatorHome,
  ...operatorPartners,
  ...operatorRecords,
  ...operatorReviews,
  ...common,
  ...company,
  ...console,
  ...errors,
  ...events,
  ...fields,
  ...keys,
  ...layout,
  ...money,
  ...reconciliation,
  ...rules,
  ...setUp,
  ...signIn,
  ...webhooks,
} as const;

/** The catalogue by file. */
export const catalogues = [
  operatorHome,
  operatorPartners,
  operatorRecords,
  operatorReviews,
  common,
  company,
  console,
  errors,
  events,
  fields,
  keys,
  layout,
  money,
  reconciliation,
  rules,
  setUp,
  signIn,
  webhooks,
] as const;

export type Key = keyof typeof messages;
