import { EventType } from './account.ts';
import { RuleKind } from './earning-rules.ts';
import { PurchaseResponse, RefundResponse } from './events.ts';
import { get, post, section } from './operations.ts';
import * as at from './parameters.ts';
import { Reason } from './partners.ts';
import { CustomerContact, ErasureCreate } from './privacy.ts';
import * as refused from './responses.ts';
import {
  choice,
  decimal,
  flag,
  instant,
  like,
  likeOrNull,
  list,
  object,
  only,
  open,
  optional,
  orNull,
  type Schema,
  text,
  when,
  whole,
} from './shapes.ts';
import {
  AuditEntryStatus,
  ClaimableFrom,
  CustomerStatus,
  Mode,
  Proposed,
  page,
  RequestType,
  RewardStatus,
} from './shared.ts';

export const RewardFields: Schema = open({
  rewardId: text('The reward, `PNR_…`.'),
  mode: Mode,
  partnerId: text('The partner, `prt_…`.'),
  integrationId: text('The integration, `int_…`.', { minLength: 1 }),
  externalOrderId: text('The partner’s id of the order.'),
  customerId: text('A keyed hash that does not reveal the customer.'),
  purchaseEventId: text('The event of the purchase, `evt_…`.'),
  currency: text('The currency’s code of ISO 4217.', { pattern: '^[A-Z]{3}$' }),
  points: whole('Its points, after partial refunds.', { minimum: 0 }),
  liabilityCents: whole('What the reward costs the partner.', { minimum: 0 }),
  status: RewardStatus,
  customerStatus: CustomerStatus,
  funded: flag('Whether its money was reserved. A TEST reward can be funded without any.'),
  claimExpiresAt: instant('The end of the claim window, ISO 8601 in UTC.'),
  claimableFrom: ClaimableFrom,
  reviewId: orNull(text('The newest review, `rev_…`; null without one.')),
  createdAt: instant('When it was created, ISO 8601 in UTC.'),
  updatedAt: instant('When it last changed, ISO 8601 in UTC.'),
  workflowId: text('The id of its workflow.'),
  temporalUrl: text('Its workflow in the Temporal UI.', { format: 'uri' }),
});

export const Reward: Schema = like(RewardFields, undefined, { unevaluatedProperties: false });

export const Arithmetic: Schema = object(
  {
    ruleId: text('The version of the rule, `rul_…`.'),
    kind: RuleKind,
    subtotalCents: whole('The order’s subtotal, in minor units.', { minimum: 0 }),
    refundedCents: whole('How much of it was refunded; the points are of the rest.', {
      minimum: 0,
    }),
    basePoints: whole('The points before multiplier and caps.', { minimum: 0 }),
    multiplier: decimal('The multiplier that applied.'),
    uncappedPoints: whole('The points before caps.', { minimum: 0 }),
    capPerOrderPoints: orNull(whole('The cap per order; null without one.', { minimum: 0 })),
    customerDayLeftPoints: orNull(
      whole('What was left of the customer’s daily cap; null without one.', { minimum: 0 }),
    ),
    budgetLeftPoints: optional(
      whole('What was left of the rule’s budget; absent without one.', { minimum: 0 }),
    ),
    points: whole('The points that the order earns.', { minimum: 0 }),
    explanation: text('The same in one sentence.'),
  },
  { description: 'How the points were calculated.' },
);

export const Move: Schema = object({
  refundEventId: optional(text("The refund's event.")),
  amountCents: optional(whole('How much of the order the refund refunded.', { minimum: 0 })),
  lost: optional(
    object(
      {
        points: whole('Points.', { minimum: 0 }),
        liabilityCents: whole('What they cost the partner, in minor units.', { minimum: 0 }),
      },
      { description: 'What the reward lost as part of its order was refunded.' },
    ),
  ),
  reviewId: optional(text('The review that the refund opened, or whose decision this is.')),
  policyId: optional(text('The version of the refund policy that decided, `pol_…`.')),
  move: choice(
    [
      'FUND',
      'RUN_SHORT',
      'CLAIM',
      'EXPIRE',
      'REFUND',
      'REDUCE',
      'CANCEL',
      'REINSTATE',
      'CORRECT',
      'MATURE',
      'UPHOLD',
      'DISMISS',
    ],
    '`FUND`: its money was reserved. `RUN_SHORT`: the available funding did not cover it. `CLAIM`: the customer claimed it. `EXPIRE`: the claim window ended. `REFUND`: the order was refunded. `REDUCE`: part of the order was refunded, and it lost points. `CANCEL`: an operator cancelled it. `REINSTATE`: an operator reinstated it. `CORRECT`: its contact was corrected. `MATURE`: its hold ended. `UPHOLD`: a review cancelled it. `DISMISS`: a review was dismissed.',
  ),
  at: instant('When it happened, ISO 8601 in UTC.'),
  status: RewardStatus,
});

export const Cancellation: Schema = object(
  {
    reason: orNull(text('Null once the customer was erased.')),
    operatorId: text('The operator, `opr_…`.'),
    cancelledAt: instant('When it was cancelled, ISO 8601 in UTC.'),
  },
  { description: 'Present if an operator cancelled the reward; a refund has none.' },
);

export const RewardDetail: Schema = {
  like: RewardFields,
  unevaluatedProperties: false,
  required: ['arithmetic', 'moves', 'cancellation'],
  properties: {
    arithmetic: Arithmetic,
    moves: list(Move, 'Every change of the reward, oldest first.'),
    cancellation: {
      description: 'An operator’s cancellation; null without one.',
      oneOf: [{ type: 'null' }, Cancellation],
    },
  },
};

export const StoredResponse: Schema = object(
  {
    status: { type: 'integer', const: 201, description: 'The status of the response.' },
    body: { description: 'The body of the response.', oneOf: [PurchaseResponse, RefundResponse] },
  },
  { description: 'The stored response.' },
);

export const OrderEvent: Schema = object({
  eventId: text('The event, `evt_…`.'),
  type: EventType,
  mode: Mode,
  partnerId: text('The partner, `prt_…`.'),
  integrationId: text('The integration, `int_…`.', { minLength: 1 }),
  credentialId: text('The API key, `key_…`.'),
  externalOrderId: text('The partner’s id of the order.'),
  externalRefundId: orNull(text('The partner’s id of the refund; null for a purchase.')),
  rewardId: text('The reward, `PNR_…`.'),
  purchaseEventId: text('The event of its purchase, `evt_…`.'),
  idempotencyKeyHash: text('The keyed hash of the `Idempotency-Key`.'),
  payloadHash: text('The SHA-256 of the body.'),
  requestId: text('The `X-Request-Id` of the response, `req_…`.'),
  receivedAt: instant('When it arrived, ISO 8601 in UTC.'),
  occurredAt: orNull(
    instant('When it happened as reported, ISO 8601 in UTC; null if not reported.'),
  ),
  response: StoredResponse,
  workflowId: text('The id of its workflow.'),
  temporalUrl: text('Its workflow in the Temporal UI.', { format: 'uri' }),
});

export const RequestLogRow: Schema = object({
  loggedRequestId: text('The row of the request log, `iev_…`.'),
  partnerId: text('The partner, `prt_…`.'),
  integrationId: text('The integration, `int_…`.', { minLength: 1 }),
  credentialId: text('The API key, `key_…`.'),
  mode: Mode,
  type: RequestType,
  requestId: text('The `X-Request-Id` of the response, `req_…`.'),
  method: text('The method of the request.'),
  path: text('The path of the request.'),
  status: whole('The status of the response.'),
  code: text('`ACCEPTED`, `REPLAYED`, `OK`, or the code of the refusal.'),
  externalOrderId: orNull(text('The partner’s id of the order; null if the request names none.')),
  eventId: orNull(text('The event that it recorded or repeated, `evt_…`; null without one.')),
  receivedAt: instant('When it arrived, ISO 8601 in UTC.'),
  count: whole(
    "1, except for refused requests that are counted rather than kept: those not proven to be the partner's, and those beyond the limit. Such a row stands for a minute, credential, type and code. It shows the newest request, and when the first was received.",
  ),
  minute: orNull(instant('The minute that a counted row stands for.')),
  address: orNull(text('The address of the request. Null after 30 days.')),
  network: orNull(text('The /24 or /48 network of that address. It is kept.')),
});

export const Verdict: Schema = choice(
  ['UPHOLD', 'DISMISS'],
  '`UPHOLD`: the refund cancels or reduces the reward. `DISMISS`: the customer keeps it.',
);

export const ReviewReason: Schema = choice(
  [
    'GOODS_RETURNED',
    'ORDER_CANCELLED',
    'PAYMENT_REVERSED',
    'FRAUD',
    'REFUND_IN_ERROR',
    'NOT_CONFIRMED',
    'GOODWILL',
    'OTHER',
    'POLICY',
  ],
  "Why. For `UPHOLD`:\n\n- `GOODS_RETURNED`: the goods were returned\n- `ORDER_CANCELLED`: the order was cancelled\n- `PAYMENT_REVERSED`: the payment was reversed\n- `FRAUD`: the purchase was fraudulent\n\nFor `DISMISS`:\n\n- `REFUND_IN_ERROR`: the refund was a mistake\n- `NOT_CONFIRMED`: the partner did not confirm the refund\n- `GOODWILL`: the customer keeps the reward as a courtesy\n\nFor both:\n\n- `OTHER`: see `reason`\n\n`POLICY`: the partner's refund policy upheld it; operators cannot choose it.\n",
);

export const Decision: Schema = object({
  verdict: Verdict,
  reasonCode: ReviewReason,
  reason: orNull(text('Null once the customer was erased.')),
  operatorId: text('The operator, `opr_…`, or for `POLICY` the version of the policy, `pol_…`.'),
  decidedAt: instant('When it was decided, ISO 8601 in UTC.'),
});

export const LeftToPolicy: Schema = object({
  policyId: text('The version of the policy, `pol_…`.'),
  upholdsAt: instant('From then on the points are taken back, ISO 8601 in UTC.'),
  conditions: list(
    object({
      condition: choice(
        ['HAS_POINTS', 'MAX_CENTS', 'PER_CUSTOMER', 'WITHIN_DAYS'],
        '`HAS_POINTS`: the customer has all the points. `MAX_CENTS`: what they cost. `PER_CUSTOMER`: the customer’s refunds in the days of the policy. `WITHIN_DAYS`: days since the purchase.',
      ),
      limit: whole('At least for `HAS_POINTS`, at most for others.'),
      value: whole('What it was.'),
      isMet: flag('Whether it is met.'),
    }),
    'Each condition of the policy, and what it was about.',
  ),
});

export const Review: Schema = object({
  reviewId: text('The review, `rev_…`.'),
  partnerId: text('The partner, `prt_…`.'),
  mode: Mode,
  rewardId: text('The reward, `PNR_…`.'),
  refundEventId: text('The event of the refund that opened it, `evt_…`.'),
  externalOrderId: text('The partner’s id of the order.'),
  amountCents: whole('How much of the order its refunds refunded in all.', { minimum: 0 }),
  points: whole('What the customer loses if it is upheld.', { minimum: 0 }),
  liabilityCents: whole('What that is worth.', { minimum: 0 }),
  status: choice(
    ['OPEN', 'BY_POLICY', 'DECIDED'],
    '`OPEN`: an operator has yet to decide. `BY_POLICY`: the partner’s refund policy upholds it at `policy.upholdsAt`, unless an operator decides before. `DECIDED`: see `decision`.',
  ),
  openedAt: instant('When it opened, ISO 8601 in UTC.'),
  dueAt: instant('When it should be decided, ISO 8601 in UTC.'),
  overdue: flag('Whether it is still open after that.'),
  rounds: whole(
    '1, plus 1 for each time that the review came due undecided and was put to operators again.',
  ),
  decision: likeOrNull(Decision, 'The decision; null while it is open.'),
  policy: likeOrNull(
    LeftToPolicy,
    'How it was left to the partner’s refund policy; null if it was not.',
  ),
  workflowId: text('The id of its workflow.'),
  temporalUrl: text('Its workflow in the Temporal UI.', { format: 'uri' }),
});

export const ReviewNote: Schema = object({
  noteId: text('The note.'),
  kind: choice(
    ['NOTE', 'QUESTION', 'ANSWER'],
    '`NOTE`: for operators. `QUESTION`: to the partner. `ANSWER`: the partner’s.',
  ),
  author: text("The name of the operator, or of the partner's user."),
  text: orNull(text('Null once the customer was erased.')),
  at: instant('When it happened, ISO 8601 in UTC.'),
});

export const ReviewNoteCreate: Schema = object({
  text: text('The note or the question.', {
    minLength: 1,
    maxLength: 1000,
    pattern:
      '^[^\\s\\x00-\\x1f\\x7f-\\x9f]([^\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f]*[^\\s\\x00-\\x1f\\x7f-\\x9f])?$',
  }),
});

const reasonIn = (...codes: string[]): Schema => ({
  properties: { reasonCode: { enum: codes } },
});

export const DecisionCreate: Schema = object(
  {
    decision: Verdict,
    amountCents: optional(
      whole(
        'What the review was about when you read it. If it is about more by now, nothing is decided.',
        { minimum: 0 },
      ),
    ),
    reasonCode: ReviewReason,
    reason: optional(
      text('An explanation in your own words. Required with `OTHER`.', {
        minLength: 1,
        maxLength: 500,
        pattern:
          '^[^\\s\\x00-\\x1f\\x7f-\\x9f]([^\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f]*[^\\s\\x00-\\x1f\\x7f-\\x9f])?$',
      }),
    ),
  },
  {
    allOf: [
      when(
        { properties: { decision: only('UPHOLD') } },
        reasonIn('GOODS_RETURNED', 'ORDER_CANCELLED', 'PAYMENT_REVERSED', 'FRAUD', 'OTHER'),
        reasonIn('REFUND_IN_ERROR', 'NOT_CONFIRMED', 'GOODWILL', 'OTHER'),
      ),
      when({ properties: { reasonCode: only('OTHER') } }, { required: ['reason'] }),
    ],
  },
);

export const AuditEntry: Schema = object({
  auditEntryId: text('The entry.'),
  actorId: text('An operator or a user of the partner. `system` for what the service did itself.'),
  actorName: orNull(text('The name of who did it; null if unknown.')),
  approvedBy: orNull(text('The second operator.')),
  approvedByName: orNull(text('The name of the second operator; null without one.')),
  isAlone: flag('A sensitive operation without an approval, while approvals were off.'),
  action: text('Such as `credential.revoke`.'),
  partnerId: orNull(text('The partner, `prt_…`; null without one.')),
  targetId: orNull(text('The id of what it was done to; null without one.')),
  details: { type: 'object', description: 'What the audit log records of it, by name.' },
  status: AuditEntryStatus,
  requestId: text('The `X-Request-Id` of the response, `req_…`.'),
  at: instant('When the operation started.'),
  completedAt: orNull(instant('When the outcome was recorded, ISO 8601 in UTC; null before.')),
});

export const ClosureCreate: Schema = object({
  status: choice(
    ['DONE', 'FAILED'],
    'The outcome of the operation: `DONE` if it took place, `FAILED` if not.',
  ),
  reason: text('How you know the outcome.', {
    minLength: 1,
    maxLength: 500,
    pattern:
      '^[^\\s\\x00-\\x1f\\x7f-\\x9f]([^\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f]*[^\\s\\x00-\\x1f\\x7f-\\x9f])?$',
  }),
});

export const AuditCheck: Schema = object({
  name: text('What it compares.'),
  lookedAt: whole('How many records it compared.', { minimum: 0 }),
  faults: whole('How many were wrong.', { minimum: 0 }),
  waiting: whole('What is still pending. This is not a fault: a worker will process it.', {
    minimum: 0,
  }),
  waitingSince: orNull(instant('Since when the oldest of it is pending.')),
  culprits: list(text(), 'Some of those that were wrong.', { maxItems: 20 }),
});

export const AuditRun: Schema = object({
  auditRunId: text('The run.'),
  partnerId: orNull(text('Null for all partners.')),
  startedAt: instant('When it started, ISO 8601 in UTC.'),
  endedAt: instant('When it ended, ISO 8601 in UTC.'),
  lookedAt: whole('How many records were compared.', { minimum: 0 }),
  faults: whole('How many were wrong.', { minimum: 0 }),
  summary: text('The result in one sentence.'),
  checks: list(AuditCheck, 'The result of each check.'),
  alone: orNull(
    object(
      {
        operations: whole('How many.', { minimum: 0 }),
        from: instant('The first moment, ISO 8601 in UTC.'),
        to: instant('The last moment, ISO 8601 in UTC.'),
      },
      {
        description:
          'Sensitive operations that one operator carried out alone, and the time in which approvals were off. It is permanent.',
      },
    ),
  ),
});

export const ReconciliationRun: Schema = object({
  reconciliationRunId: text('The run.'),
  startedAt: instant('When it started, ISO 8601 in UTC.'),
  endedAt: instant('When it ended, ISO 8601 in UTC.'),
  lookedAt: whole('Open rewards.', { minimum: 0 }),
  startedAgain: whole(
    'Workflows that were not running, or waited for something else, and were started or woken.',
    { minimum: 0 },
  ),
  failed: whole('Workflows that could not be started.', { minimum: 0 }),
  rewardIds: list(text(), 'Some of the rewards whose workflows were started or could not be.', {
    maxItems: 20,
  }),
  summary: text('The result in one sentence.'),
});

export const reviews = section('Operations', 'Rewards, events, reviews and the audit log.', [
  get('/admin/v1/rewards', {
    id: 'listRewards',
    summary: 'List rewards',
    by: 'operator',
    parameters: [
      at.OrderFilter,
      at.EventFilter,
      at.RewardFilter,
      at.KeyFilter,
      at.CustomerFilter,
      at.PartnerFilter,
      at.RewardStatusFilter,
      at.Limit,
      at.Cursor,
    ],
    gives: { 200: ['A page, newest first.', page(Reward)] },
    errors: { 400: refused.InvalidInput },
  }),
  get('/admin/v1/rewards/{rewardId}', {
    id: 'getReward',
    summary: 'Retrieve a reward',
    description: 'Contains the calculation of its points and every move it made.',
    by: 'operator',
    parameters: [at.RewardId],
    gives: { 200: ['The reward.', RewardDetail] },
    errors: { 404: refused.NotFound },
  }),
  post('/admin/v1/rewards/{rewardId}/cancellation', {
    id: 'cancelReward',
    summary: 'Cancel an unclaimed reward',
    description:
      'Returns the reserved money to the partner. A claimed reward returns 409: it can be taken back only by a refund and its review. Repeating a cancellation as the same operator returns the same response. In LIVE, it takes two operators.',
    by: 'operator',
    parameters: [at.RewardId],
    body: Reason,
    gives: {
      200: ['The reward is cancelled.', RewardDetail],
      202: ['Another operator has to approve it first.', Proposed],
    },
    errors: { 400: refused.InvalidInput, 404: refused.NotFound, 409: refused.Conflict },
  }),
  post('/admin/v1/rewards/{rewardId}/reinstatement', {
    id: 'reinstateReward',
    summary: 'Reinstate a cancelled reward',
    description:
      'Takes back the refund of an unclaimed reward, which was a mistake, within the claim window: its money is reserved again, or it waits for funding, and the customer can claim it again. The refund stays on record. In LIVE, it takes two operators.',
    by: 'operator',
    parameters: [at.RewardId],
    body: ErasureCreate,
    gives: {
      200: ['The reward is reinstated.', RewardDetail],
      202: ['Another operator has to approve it first.', Proposed],
    },
    errors: { 400: refused.InvalidInput, 404: refused.NotFound, 409: refused.CannotReinstate },
  }),
  post('/admin/v1/rewards/{rewardId}/contact', {
    id: 'correctContact',
    summary: 'Correct the contact of an unclaimed reward',
    description:
      'The purchase gave a wrong contact: the reward becomes that of the named customer, with a new claim window. They get a new claim link, the old one stops working, and the earlier contact is notified; if the integration delivers its claim links itself, the link stays the same. Once per reward, before it is claimed. In LIVE, it takes two operators.',
    by: 'operator',
    parameters: [at.RewardId],
    body: CustomerContact,
    gives: {
      200: ['The contact is corrected.', RewardDetail],
      202: ['Another operator has to approve it first.', Proposed],
    },
    errors: { 400: refused.InvalidInput, 404: refused.NotFound, 409: refused.CannotCorrect },
  }),
  post('/admin/v1/rewards/{rewardId}/test-clock', {
    id: 'moveTestReward',
    summary: 'Claim a TEST reward, end its hold or its claim window, or move the end of its points',
    description:
      'Makes the move that the customer, or the end of the hold or of the claim window, would make. Repeating it returns the reward unchanged. A LIVE reward returns 409.',
    by: 'operator',
    parameters: [at.RewardId],
    body: object({
      move: choice(
        ['CLAIM', 'MATURE', 'EXPIRE', 'END_POINTS'],
        '`CLAIM`: as if the customer claimed it. `MATURE`: ends its hold. `EXPIRE`: as if the claim window had ended. `END_POINTS`: gives the customer the next notice that points end or, after the last one, ends them.',
      ),
    }),
    gives: { 200: ['The reward after the move.', RewardDetail] },
    errors: { 400: refused.InvalidInput, 404: refused.NotFound, 409: refused.Conflict },
  }),
  get('/admin/v1/events', {
    id: 'listEvents',
    summary: 'List order events',
    by: 'operator',
    parameters: [
      at.OrderFilter,
      at.EventFilter,
      at.RewardFilter,
      at.KeyFilter,
      at.PartnerFilter,
      at.Limit,
      at.Cursor,
    ],
    gives: { 200: ['A page, newest first.', page(OrderEvent)] },
    errors: { 400: refused.InvalidInput },
  }),
  get('/admin/v1/request-log', {
    id: 'listRequestLog',
    summary: 'List the request log',
    by: 'operator',
    parameters: [
      at.PartnerFilter,
      at.ModeFilter,
      at.RequestTypeFilter,
      at.CodeFilter,
      at.OrderFilter,
      at.FromFilter,
      at.ToFilter,
      at.Limit,
      at.Cursor,
    ],
    gives: { 200: ['A page, newest first.', page(RequestLogRow)] },
    errors: { 400: refused.InvalidInput },
  }),
  get('/admin/v1/reviews', {
    id: 'listReviews',
    summary: 'List reviews',
    by: 'operator',
    parameters: [at.ReviewStatusFilter, at.OverdueFilter, at.Limit, at.Cursor],
    gives: { 200: ['A page, newest first.', page(Review)] },
    errors: { 400: refused.InvalidInput },
  }),
  get('/admin/v1/reviews/{reviewId}', {
    id: 'getReview',
    summary: 'Retrieve a review',
    by: 'operator',
    parameters: [at.ReviewId],
    gives: { 200: ['The review.', Review] },
    errors: { 404: refused.NotFound },
  }),
  post('/admin/v1/reviews/{reviewId}/decision', {
    id: 'decideReview',
    summary: 'Decide a review',
    description:
      'Only the first decision counts; another one returns 409. Repeating a decision as the same operator returns the same response.',
    by: 'operator',
    parameters: [at.ReviewId],
    body: DecisionCreate,
    gives: {
      200: ['The review is decided.', Review],
      202: ['Another operator has to approve it first.', Proposed],
    },
    errors: { 400: refused.InvalidInput, 404: refused.NotFound, 409: refused.Conflict },
  }),
  get('/admin/v1/reviews/{reviewId}/notes', {
    id: 'listReviewNotes',
    summary: 'List a review’s notes',
    description:
      "Returns operators' notes, their questions to the partner and the partner's answers, oldest first.",
    by: 'operator',
    parameters: [at.ReviewId],
    gives: {
      200: [
        'All notes of the review.',
        object({ items: list(ReviewNote, 'The items of this page.') }),
      ],
    },
    errors: { 404: refused.NotFound },
  }),
  post('/admin/v1/reviews/{reviewId}/notes', {
    id: 'addReviewNote',
    summary: 'Add a note to a review',
    description: 'Only operators see notes. A review can have 100.',
    by: 'operator',
    parameters: [at.ReviewId],
    body: ReviewNoteCreate,
    gives: { 201: ['The note is added.', ReviewNote] },
    errors: { 400: refused.InvalidInput, 404: refused.NotFound, 409: refused.Conflict },
  }),
  post('/admin/v1/reviews/{reviewId}/questions', {
    id: 'askAboutReview',
    summary: 'Ask the partner about a refund',
    description: 'Notifies the partner, who answers in the portal. A decided review returns 409.',
    by: 'operator',
    parameters: [at.ReviewId],
    body: ReviewNoteCreate,
    gives: { 201: ['The question is sent.', ReviewNote] },
    errors: { 400: refused.InvalidInput, 404: refused.NotFound, 409: refused.Conflict },
  }),
  get('/admin/v1/audit', {
    id: 'listAuditEntries',
    summary: 'List audit entries',
    by: 'operator',
    parameters: [at.PartnerFilter, at.AuditEntryStatusFilter, at.Limit, at.Cursor],
    gives: { 200: ['A page, newest first.', page(AuditEntry)] },
    errors: { 400: refused.InvalidInput },
  }),
  get('/admin/v1/audit-runs', {
    id: 'listAuditRuns',
    summary: 'List audit runs',
    by: 'operator',
    parameters: [at.Limit, at.Cursor],
    gives: { 200: ['A page, newest first.', page(AuditRun)] },
    errors: { 400: refused.InvalidInput },
  }),
  get('/admin/v1/reconciliation-runs', {
    id: 'listReconciliationRuns',
    summary: 'List reconciliation runs',
    by: 'operator',
    parameters: [at.Limit, at.Cursor],
    gives: { 200: ['A page, newest first.', page(ReconciliationRun)] },
    errors: { 400: refused.InvalidInput },
  }),
  post('/admin/v1/audit/{auditEntryId}/closure', {
    id: 'closeAuditEntry',
    summary: 'Close a pending audit entry',
    description:
      'For an operation whose process stopped before its outcome was recorded. Close the entry once you know how it ended.',
    by: 'operator',
    parameters: [at.AuditEntryId],
    body: ClosureCreate,
    gives: { 200: ['The closed entry.', AuditEntry] },
    errors: { 400: refused.InvalidInput, 404: refused.NotFound, 409: refused.Conflict },
  }),
  post('/admin/v1/due/retry', {
    id: 'retryDue',
    summary: 'Retry what was set apart',
    description:
      'What is due and could not be done in 20 attempts is set apart, so that it holds up nothing else. This retries all of it, once the cause is fixed.',
    by: 'operator',
    gives: {
      200: [
        'How many things are retried.',
        open({ retried: whole('How many are retried.', { minimum: 0, example: 1 }) }),
      ],
    },
  }),
  post('/admin/v1/signing-key/retirement', {
    id: 'retireSigningKey',
    summary: 'Retire the key that signs tree heads',
    description:
      'Destroys the private part of the current key. Its public part is served for good, and the next tree head is signed with a new key, which is written to the audit log outside the database first.',
    by: 'operator',
    gives: {
      200: [
        'The key that was retired.',
        object({
          retiredKeyId: orNull(
            text('Its `kid`; null if no key has been made since the last was retired.'),
          ),
        }),
      ],
    },
  }),
]);
