import { savedLists } from '../../domain/saved-views.ts';

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
  /** A list that has filters to keep; pages say whose it is. */
  savedList: new RegExp(`^(?:${savedLists.join('|')})$`),
  savedView: id('svw'),
  accessToken: id('pat'),
  serviceAccount: id('sva'),
  integration: id('int'),
  credential: id('key'),
  secret: id('sec'),
  rule: id('rul'),
  event: id('evt'),
  reward: id('PNR'),
  /** Or the line of the log that stands for it, and maybe for others: it goes on being the same. */
  request: /^(?:req|iev)_[0-9A-Z]{26}$/,
  invoice: id('inv'),
  webhookEndpoint: id('whe'),
  webhookDelivery: id('whd'),
  /** The same of LIVE, where other people may change them: a path has one of either mode. */
  liveCredential: id('key'),
  liveSecret: id('sec'),
  liveRule: id('rul'),
  liveWebhookEndpoint: id('whe'),
  liveWebhookDelivery: id('whd'),
  review: id('rev'),
  transaction: id('txn'),
  /** Made from a keyed hash. */
  customer: /^cus_[\w-]{32}$/,
  proposal: id('prp'),
  operator: id('opr'),
  planVersion: id('pln'),
  auditEntry: id('aud'),
  auditRun: id('aur'),
  refusedRequest: id('req'),
  /** A reward of TEST, which its partner may claim and let expire. */
  testReward: id('PNR'),
  testPeriod: id('tpd'),
  /** Jobs of each kind. */
  comparison: id('job'),
  backTest: id('job'),
  export: id('job'),
  /** The token of a mail: whoever has it is whom it was sent to. */
  signInToken: token,
  invitationToken: token,
  /** Whatever it is, it is looked up by its hash, so that a wrong one is counted. */
  claimToken: /./s,
  pointsToken: /./s,
  logo: /^[0-9a-f]{32}\.(png|jpg)$/,
} as const satisfies Record<string, RegExp>;

export type ParamKind = keyof typeof paramKinds;
