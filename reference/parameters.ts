import { inHeader, inPath, inQuery } from './parameter.ts';
import { choice, day, instant, text, whole } from './shapes.ts';
import {
  AuditEntryStatus,
  Mode,
  ProposalStatus,
  RedemptionStatus,
  RequestType,
  RewardStatus,
  WebhookEventType,
  WebhookState,
} from './shared.ts';

export const IdempotencyKey = inHeader(
  'Idempotency-Key',
  'Identifies the request, 1 to 255 visible ASCII characters: a new value for each new request, the same one for all its retries. See [Idempotency](#idempotency).',
  text(undefined, { pattern: '^[!-~]{1,255}$', example: 'purchase:A1' }),
);
export const ClaimToken = inPath(
  'token',
  'The last part of the claim link, which is a secret of the customer.',
  text(undefined, { example: '5ZrK0tUu' }),
);
export const PartnerId = inPath('partnerId', '`prt_…`');
export const IntegrationId = inPath('integrationId', '`int_…`');
export const ServiceAccountId = inPath('serviceAccountId', '`sva_…`');
export const EndpointId = inPath(
  'endpointId',
  '`whe_…`',
  text(undefined, { example: 'whe_01K7ZZ3V6X9B1D4F7H0K2M5P8R' }),
);
export const DeliveryId = inPath('deliveryId', '`whd_…`');
export const DeliveryState = inQuery('state', 'Return only those in this state.', WebhookState);
export const WebhookType = inQuery('type', 'Return only those of this type.', WebhookEventType);
export const CredentialId = inPath('credentialId', '`key_…`');
export const RequestId = inPath('requestId', 'The `X-Request-Id` of the response: `req_…`');
export const SecretId = inPath('secretId', '`sec_…`');
export const RuleId = inPath('ruleId', '`rul_…`');
export const CustomerId = inPath('customerId', '`cus_…`');
export const PlanVersionId = inPath('planVersionId', '`pln_…`');
export const RedemptionId = inPath(
  'redemptionId',
  'The `redemption.id` in the response to the redemption, `red_…`.',
  text(undefined, { example: 'red_01K7ZR2B6K9M3P7T1V5X8D4F2G' }),
);
export const RewardId = inPath(
  'rewardId',
  'The `reward.id` in the response to the purchase, `PNR_…`.',
  text(undefined, { example: 'PNR_01K7ZQ8Y5P9C4R7M2E6J3S5A8K' }),
);
export const InvoiceId = inPath('invoiceId', '`inv_…`');
export const ReviewId = inPath('reviewId', '`rev_…`');
export const OperatorId = inPath('operatorId', '`opr_…`');
export const TokenId = inPath('tokenId', '`tok_…`');
export const ProposalId = inPath('proposalId', '`prp_…`');
export const AuditEntryId = inPath('auditEntryId', '`aud_…`');
export const Limit = inQuery(
  'limit',
  'The most items to return.',
  whole(undefined, { minimum: 1, maximum: 100, default: 25, example: 25 }),
);
export const Cursor = inQuery(
  'cursor',
  'The `nextCursor` of the previous page.',
  text(undefined, { maxLength: 256, pattern: '^[A-Za-z0-9_-]+$', example: 'UE5SXzAxSzda' }),
);
export const ChangedSince = inQuery(
  'changedSince',
  'Return only what changed at this time or later, ISO 8601 with a timezone offset.',
  instant(undefined, { example: '2026-01-31T00:00:00Z' }),
);
export const ReceivedFrom = inQuery(
  'receivedFrom',
  'Return only what was recorded at this time or later, ISO 8601 with a timezone offset.',
  instant(undefined, { example: '2026-01-31T00:00:00Z' }),
);
export const ReceivedTo = inQuery(
  'receivedTo',
  'Return only what was recorded before this time, ISO 8601 with a timezone offset.',
  instant(undefined, { example: '2026-02-01T00:00:00Z' }),
);
export const PartnerRewardStatusFilter = inQuery(
  'status',
  'Return only orders whose reward has this status: `PENDING`, `AWAITING_FUNDING`, `AVAILABLE`, `EXPIRED`, `CANCELLED` or `ADMIN_REVIEW`.',
  RewardStatus,
);
export const RedemptionStatusFilter = inQuery(
  'status',
  'Return only redemptions in this state: `HELD`, `CAPTURED`, `RELEASED`, `EXPIRED` or `REVERSED`.',
  RedemptionStatus,
);
export const OrderFilter = inQuery(
  'order',
  'An `externalOrderId`.',
  text(undefined, { minLength: 1, maxLength: 255 }),
);
export const EventFilter = inQuery(
  'event',
  '`evt_…`',
  text(undefined, { minLength: 1, maxLength: 255 }),
);
export const RewardFilter = inQuery(
  'reward',
  '`PNR_…`',
  text(undefined, { minLength: 1, maxLength: 255 }),
);
export const KeyFilter = inQuery(
  'key',
  'The Idempotency-Key that the partner sent.',
  text(undefined, { minLength: 1, maxLength: 255 }),
);
export const CustomerFilter = inQuery(
  'customer',
  '`cus_…`',
  text(undefined, { pattern: '^cus_[0-9A-Za-z_-]{32}$' }),
);
export const PartnerFilter = inQuery(
  'partner',
  '`prt_…`',
  text(undefined, { minLength: 1, maxLength: 255 }),
);
export const CodeFilter = inQuery(
  'code',
  '`ACCEPTED`, `REPLAYED`, `OK`, or an error code.',
  text(undefined, { minLength: 1, maxLength: 255 }),
);
export const ModeFilter = inQuery('mode', undefined, Mode);
export const RequestTypeFilter = inQuery('type', undefined, RequestType);
export const FromFilter = inQuery('from', 'The first UTC day, such as `2026-03-01`.', day());
export const ToFilter = inQuery('to', 'The last UTC day, inclusive.', day());
export const AccountFilter = inQuery(
  'account',
  'An account of the ledger, such as `funding`.',
  text(undefined, { minLength: 1, maxLength: 255 }),
);
export const RewardStatusFilter = inQuery('status', undefined, RewardStatus);
export const PlanStatusFilter = inQuery(
  'status',
  undefined,
  choice(['DRAFT', 'PUBLISHED', 'ARCHIVED']),
);
export const ProposalStatusFilter = inQuery('status', undefined, ProposalStatus);
export const AuditEntryStatusFilter = inQuery('status', undefined, AuditEntryStatus);
export const ReviewStatusFilter = inQuery(
  'status',
  undefined,
  choice(['OPEN', 'BY_POLICY', 'DECIDED']),
);
export const OverdueFilter = inQuery('overdue', 'Return only open reviews that are overdue.', {
  type: 'string',
  const: 'true',
});
