import Joi from 'joi';

const id = (prefix: string): RegExp => new RegExp(`^${prefix}_[0-9A-Z]{26}$`);
const token = /^[\w-]{43}$/;

/**
 * The formats of path parameters; anything else gives a 404 before a page queries the database. A test
 * requests every route with another partner's ids and needs an example of each kind:
 * test/portal/helpers/fixtures.ts.
 */
export const paramKinds = {
  partner: id('prt'),
  user: id('usr'),
  invitation: id('ivt'),
  session: id('ses'),
  passkey: id('psk'),
  accessToken: id('pat'),
  serviceAccount: id('sva'),
  integration: id('int'),
  connection: id('con'),
  credential: id('key'),
  secret: id('sec'),
  rule: id('rul'),
  policy: id('pol'),
  event: id('evt'),
  reward: id('PNR'),
  /** A LIVE reward with an entry under a tree head. */
  receipt: id('PNR'),
  redemption: id('red'),
  /** Or the log row that represents it, possibly along with others; its id remains stable. */
  request: /^(?:req|iev)_[0-9A-Z]{26}$/,
  invoice: id('inv'),
  webhookEndpoint: id('whe'),
  webhookDelivery: id('whd'),
  /** The same in LIVE, where different people may change them. The format does not differ between modes. */
  liveCredential: id('key'),
  liveSecret: id('sec'),
  liveRule: id('rul'),
  livePolicy: id('pol'),
  liveWebhookEndpoint: id('whe'),
  liveWebhookDelivery: id('whd'),
  review: id('rev'),
  transaction: id('txn'),
  /** Derived from a keyed hash. */
  customer: /^cus_[\w-]{32}$/,
  proposal: id('prp'),
  operator: id('opr'),
  planVersion: id('pln'),
  auditEntry: id('aud'),
  auditRun: id('aur'),
  refusedRequest: id('req'),
  /** A TEST reward, which its partner can claim or expire. */
  testReward: id('PNR'),
  /** A job, by kind. */
  comparison: id('job'),
  backTest: id('job'),
  export: id('job'),
  statement: id('job'),
  /** The token in an email, which proves that its recipient has opened it. */
  signInToken: token,
  /** Of any length up to a bound, so that the page of an incomplete link can say what to do. */
  invitationToken: /^[\w-]{1,200}$/,
  /** Any text: it is looked up by its hash, so that wrong tokens are counted. */
  claimToken: /./s,
  pointsToken: /./s,
  logo: /^[0-9a-f]{32}\.(png|jpg)$/,
} as const satisfies Record<string, RegExp>;

export type ParamKind = keyof typeof paramKinds;

/** The kind of a LIVE record, where the routes for it need more than those for TEST. */
export const liveKinds: Partial<Record<ParamKind, ParamKind>> = {
  credential: 'liveCredential',
  secret: 'liveSecret',
  rule: 'liveRule',
  policy: 'livePolicy',
  webhookEndpoint: 'liveWebhookEndpoint',
  webhookDelivery: 'liveWebhookDelivery',
};

const anyId = '[A-Za-z]{3}_[\\w-]{26,32}';

/** The format of each filter that takes an id. Any other text matches nothing and may be personal data. */
const forms = {
  customer: paramKinds.customer,
  reward: paramKinds.reward,
  actor: /^(?:system|(?:opr|usr|sva)_[0-9A-Z]{26})$/,
  target: new RegExp(`^${anyId}$`),
  account: new RegExp(`^[A-Za-z]+(?::${anyId})?$`),
} as const satisfies Record<string, RegExp>;

export type IdFilter = keyof typeof forms;

/** Joi's error type for a text that is not an id. */
export const notAnId = 'string.pattern.name';

export const idSchema = (filter: IdFilter) => Joi.string().pattern(forms[filter], 'id');

/** The pattern for browsers, which keep other text out of the address. */
export const patternOf = (filter: IdFilter): string => forms[filter].source.slice(1, -1);
