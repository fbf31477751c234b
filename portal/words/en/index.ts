import { operatorHome } from './operator-home.ts';
import { operatorPartners } from './operator-partners.ts';
import { operatorRecords } from './operator-records.ts';
import { operatorReviews } from './operator-reviews.ts';
import { common } from './common.ts';
import { company } from './company.ts';
import { console } from './console.ts';
import { errors } from './errors.ts';
import { events } from './events.ts';
import { fields } from './fields.ts';
import { keys } from './keys.ts';
import { layout } from './layout.ts';
import { money } from './money.ts';
import { reconciliation } from './reconciliation.ts';
import { rules } from './rules.ts';
import { setUp } from './set-up.ts';
import { signIn } from './sign-in.ts';
import { webhooks } from './webhooks.ts';

/** What the portal’s own pages say, as ICU messages: a key names the page, and what the text is there. */
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

/** The same, file by file. */
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
