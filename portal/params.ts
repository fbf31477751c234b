const id = (prefix: string): RegExp => new RegExp(`^${prefix}_[0-9A-Z]{26}$`);
const token = /^[\w-]{43}$/;

/**
 * The kinds of what may stand in a path, with their form; anything else is not found, before a page
 * asks the database. A test asks every route for another partner's, and needs an example of each:
 * test/portal/helpers/fixtures.ts.
 */
export const paramKinds = {
  partner: id('prt'),
  user: id('usr'),
  invitation: id('ivt'),
  session: id('ses'),
  integration: id('int'),
  credential: id('key'),
  secret: id('sec'),
  rule: id('rul'),
  event: id('evt'),
  request: id('req'),
  reward: id('PNR'),
  review: id('rev'),
  transaction: id('txn'),
  /** Made from a keyed hash. */
  customer: /^cus_[\w-]{32}$/,
  proposal: id('prp'),
  operator: id('adm'),
  planVersion: id('pln'),
  auditEntry: id('aud'),
  auditRun: id('aur'),
  /** The token of a mail: whoever has it is whom it was sent to. */
  signInToken: token,
  invitationToken: token,
} as const satisfies Record<string, RegExp>;

export type ParamKind = keyof typeof paramKinds;
