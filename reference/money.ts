import { ExternalReference } from './billing.ts';
import { get, post, section } from './operations.ts';
import * as at from './parameters.ts';
import * as refused from './responses.ts';
import {
  choice,
  flag,
  instant,
  like,
  list,
  object,
  optional,
  orNull,
  type Schema,
  text,
  whole,
} from './shapes.ts';
import { Mode, Proposed, page } from './shared.ts';

export const TestFundingCreate: Schema = object({
  amountCents: whole('How much test funding to add, in minor units of the partner’s currency.', {
    minimum: 1,
    maximum: 100000000000,
  }),
  externalReference: text('Its reference elsewhere, such as the bank’s.', {
    minLength: 1,
    maxLength: 160,
    pattern:
      '^[^\\s\\x00-\\x1f\\x7f-\\x9f]([^\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029]*[^\\s\\x00-\\x1f\\x7f-\\x9f])?$',
  }),
});

export const TopUpCreate: Schema = object({
  amountCents: whole('The amount, in minor units.', { minimum: 1, maximum: 100000000000 }),
  currency: text('The currency of the amount. 409 if the partner’s LIVE funding has another.', {
    pattern: '^[A-Z]{3}$',
  }),
  externalReference: text('Its reference elsewhere, such as the bank’s.', {
    minLength: 1,
    maxLength: 160,
    pattern:
      '^[^\\s\\x00-\\x1f\\x7f-\\x9f]([^\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029]*[^\\s\\x00-\\x1f\\x7f-\\x9f])?$',
  }),
});

export const WithdrawalCreate: Schema = { like: TopUpCreate };

export const CorrectionCreate: Schema = object({
  transactionId: text('The top-up.', { minLength: 1 }),
  amountCents: whole('At most the top-up’s.', { minimum: 1, maximum: 100000000000 }),
  currency: text('The currency of the top-up, ISO 4217.', { pattern: '^[A-Z]{3}$' }),
  externalReference: ExternalReference,
});

export const Posting: Schema = object({
  account: text('The account, such as `funding`.'),
  unit: choice(['CENTS', 'POINTS'], '`CENTS`: minor units of the currency. `POINTS`: points.'),
  amount: whole('How much the account changed; negative for less.'),
  balanceAfter: whole('The balance of the account afterwards.'),
});

export const LedgerTransaction: Schema = object(
  {
    transactionId: text('The entry, `txn_…`.'),
    partnerId: text('The partner, `prt_…`.'),
    mode: Mode,
    seq: whole('Its number in the wallet, without gaps.', { minimum: 1 }),
    reference: text('Unique per wallet, such as `claim:PNR_…`.'),
    kind: text('What it records, such as `RESERVE` or `TOP_UP`.'),
    rewardId: orNull(text('The reward that it is about, `PNR_…`; null without one.')),
    reverses: optional(
      text('The transaction that it reverses, such as the top-up that it corrects.'),
    ),
    at: instant('When it happened, ISO 8601 in UTC.'),
    postings: list(Posting, 'What changed, account by account.'),
    previousHash: text("The hash of the wallet's entry before. Empty for the first."),
    hash: text('The keyed hash of this entry and the one before it.'),
  },
  { description: 'The postings sum to zero in each unit.' },
);

export const Wallet: Schema = object({
  partnerId: text('The partner, `prt_…`.'),
  mode: Mode,
  currency: text('The currency of its amounts, ISO 4217.', { pattern: '^[A-Z]{3}$' }),
  isUnlimited: flag('In TEST, until test funding is added: every reward is funded.'),
  fundingCents: whole('The available funding, in minor units.', { minimum: 0 }),
  reservedCents: whole('What is reserved for unclaimed rewards, in minor units.', { minimum: 0 }),
  owedCents: whole('Owed to customers.', { minimum: 0 }),
  awaitingRewards: whole('Counted to 100,000: read “at least”.', { minimum: 0 }),
  awaitingCents: whole('The money that these rewards need.', { minimum: 0 }),
  missingCents: whole(
    'What is missing for all of them: the money that they need, less the available funding.',
    { minimum: 0 },
  ),
});

export const TopUp: Schema = object({
  transaction: LedgerTransaction,
  wallet: like(Wallet, 'The wallet afterwards.'),
});

export const Customer: Schema = object({
  customerId: text('The customer, `cus_…`: a keyed hash that does not reveal who it is.'),
  partnerId: text('The partner, `prt_…`.'),
  points: whole('The points that the customer can redeem.', { minimum: 0 }),
  owedCents: whole('What those cost, and the customer is owed, in minor units.', { minimum: 0 }),
  heldPoints: whole('Held at a checkout.', { minimum: 0 }),
  heldCents: whole('What the held points cost, in minor units.', { minimum: 0 }),
});

export const RedemptionCreate: Schema = object({
  points: whole('How many points to redeem.', { minimum: 1, maximum: 9007199254740991 }),
  reference: text('Identifies the redemption; it cannot start with `red_`.', {
    minLength: 1,
    maxLength: 160,
    pattern:
      '^(?!red_)[^\\s\\x00-\\x1f\\x7f-\\x9f]([^\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029]*[^\\s\\x00-\\x1f\\x7f-\\x9f])?$',
  }),
});

export const Redemption: Schema = object({
  transaction: LedgerTransaction,
  customer: like(Customer, 'The customer afterwards.'),
});

export const money = section('Money', 'Funding, the ledger and customers’ points.', [
  post('/admin/v1/partners/{partnerId}/top-ups', {
    id: 'topUp',
    summary: 'Top up a partner’s LIVE funding',
    description:
      'Repeating an external reference moves no money. Waiting rewards are funded in the order of their purchases.',
    by: 'operator',
    parameters: [at.PartnerId],
    body: TopUpCreate,
    gives: {
      200: ['A top-up with this reference was posted before.', TopUp],
      201: ['The top-up is posted.', TopUp],
      202: ['Another operator has to approve it first.', Proposed],
    },
    errors: { 400: refused.InvalidInput, 404: refused.NotFound, 409: refused.Conflict },
  }),
  post('/admin/v1/partners/{partnerId}/withdrawals', {
    id: 'withdraw',
    summary: 'Pay unused LIVE funding back',
    description:
      'Takes two operators, and at most the available funding at the time of the approval. Repeating an external reference moves no money.',
    by: 'operator',
    parameters: [at.PartnerId],
    body: WithdrawalCreate,
    gives: {
      200: ['A withdrawal with this reference was posted before.', TopUp],
      201: ['The withdrawal is posted.', TopUp],
      202: ['Another operator has to approve it first.', Proposed],
    },
    errors: { 400: refused.InvalidInput, 404: refused.NotFound, 409: refused.Conflict },
  }),
  post('/admin/v1/partners/{partnerId}/corrections', {
    id: 'correctTopUp',
    summary: 'Correct a top-up',
    description:
      'Takes back all of a top-up or a part of it, once, by a transaction that names it. Takes two operators, and at most the available funding at the time of the approval. Repeating an external reference moves no money.',
    by: 'operator',
    parameters: [at.PartnerId],
    body: CorrectionCreate,
    gives: {
      200: ['A correction with this reference was posted before.', TopUp],
      201: ['The correction is posted.', TopUp],
      202: ['Another operator has to approve it first.', Proposed],
    },
    errors: { 400: refused.InvalidInput, 404: refused.NotFound, 409: refused.Conflict },
  }),
  get('/admin/v1/partners/{partnerId}/wallet', {
    id: 'getWallet',
    summary: 'Retrieve a partner’s LIVE wallet',
    by: 'operator',
    parameters: [at.PartnerId],
    gives: { 200: ['The wallet.', Wallet] },
    errors: { 404: refused.NotFound },
  }),
  get('/admin/v1/partners/{partnerId}/ledger', {
    id: 'listLedger',
    summary: 'List a partner’s ledger transactions',
    by: 'operator',
    parameters: [at.PartnerId, at.AccountFilter, at.RewardFilter, at.Limit, at.Cursor],
    gives: { 200: ['A page, newest first.', page(LedgerTransaction)] },
    errors: { 400: refused.InvalidInput, 404: refused.NotFound },
  }),
  post('/admin/v1/partners/{partnerId}/test-funding', {
    id: 'grantTestFunding',
    summary: 'Add test funding to a partner',
    description:
      'Test funding is not money and never affects LIVE. From the first on, TEST rewards that it does not cover wait. Repeating an external reference adds nothing.',
    by: 'operator',
    parameters: [at.PartnerId],
    body: TestFundingCreate,
    gives: {
      200: ['Test funding with this reference was added before.', TopUp],
      201: ['The test funding is added.', TopUp],
    },
    errors: { 400: refused.InvalidInput, 404: refused.NotFound, 409: refused.Conflict },
  }),
  get('/admin/v1/partners/{partnerId}/test-funding', {
    id: 'getTestFunding',
    summary: 'Retrieve a partner’s TEST wallet',
    by: 'operator',
    parameters: [at.PartnerId],
    gives: { 200: ['The wallet.', Wallet] },
    errors: { 404: refused.NotFound },
  }),
  get('/admin/v1/customers/{customerId}', {
    id: 'getCustomer',
    summary: 'Retrieve a customer',
    description:
      "Returns the points of one partner's customer, by the keyed hash that a LIVE reward shows as `customerId`.",
    by: 'operator',
    parameters: [at.CustomerId],
    gives: { 200: ['The customer.', Customer] },
    errors: { 404: refused.NotFound },
  }),
  post('/admin/v1/customers/{customerId}/redemptions', {
    id: 'redeemPoints',
    summary: 'Redeem a customer’s points',
    description:
      "Repeating a reference redeems nothing; it cannot start with `red_`, as the ids of shops' redemptions do. Returns 409 if the customer has too few points or the partner is suspended.",
    by: 'operator',
    parameters: [at.CustomerId],
    body: RedemptionCreate,
    gives: {
      200: ['A redemption with this reference was made before.', Redemption],
      201: ['The points are redeemed.', Redemption],
      202: ['Another operator has to approve it first.', Proposed],
    },
    errors: { 400: refused.InvalidInput, 404: refused.NotFound, 409: refused.CannotRedeem },
  }),
]);
