<?php

declare(strict_types=1);

namespace PartnerEvents\Events;

use PartnerEvents\WebhookEvent;

// Made by `npm run make -- docs`.

/**
 * The reward is funded, and the customer can claim it until `claimExpiresAt`; on hold, from `claimableFrom` on.
 *
 * @extends WebhookEvent<array{
 *     rewardId: string,
 *     externalOrderId: string,
 *     purchaseEventId: string,
 *     integrationId: string,
 *     status: 'PENDING'|'AWAITING_FUNDING'|'AVAILABLE'|'EXPIRED'|'CANCELLED'|'ADMIN_REVIEW',
 *     customerStatus: 'AWAITING_CUSTOMER_CLAIM'|'CLAIMED'|'CLAIM_EXPIRED'|'CANCELLED',
 *     points: int,
 *     liabilityCents: int,
 *     currency: string,
 *     claimExpiresAt: string,
 *     claimableFrom: string|null,
 *     isExample?: true,
 * }>
 */
final class RewardFunded extends WebhookEvent
{
}

/**
 * The available funding does not cover the reward, or a reward of an earlier purchase waits for it. It is funded in its turn once money arrives.
 *
 * @extends WebhookEvent<array{
 *     rewardId: string,
 *     externalOrderId: string,
 *     purchaseEventId: string,
 *     integrationId: string,
 *     status: 'PENDING'|'AWAITING_FUNDING'|'AVAILABLE'|'EXPIRED'|'CANCELLED'|'ADMIN_REVIEW',
 *     customerStatus: 'AWAITING_CUSTOMER_CLAIM'|'CLAIMED'|'CLAIM_EXPIRED'|'CANCELLED',
 *     points: int,
 *     liabilityCents: int,
 *     currency: string,
 *     isExample?: true,
 * }>
 */
final class RewardAwaitingFunding extends WebhookEvent
{
}

/**
 * The hold of the funded reward is over, or was ended early, and the customer can claim it until `claimExpiresAt`.
 *
 * @extends WebhookEvent<array{
 *     rewardId: string,
 *     externalOrderId: string,
 *     purchaseEventId: string,
 *     integrationId: string,
 *     status: 'PENDING'|'AWAITING_FUNDING'|'AVAILABLE'|'EXPIRED'|'CANCELLED'|'ADMIN_REVIEW',
 *     customerStatus: 'AWAITING_CUSTOMER_CLAIM'|'CLAIMED'|'CLAIM_EXPIRED'|'CANCELLED',
 *     points: int,
 *     liabilityCents: int,
 *     currency: string,
 *     claimExpiresAt: string,
 *     claimableFrom: string|null,
 *     isExample?: true,
 * }>
 */
final class RewardClaimable extends WebhookEvent
{
}

/**
 * The customer claimed the reward.
 *
 * @extends WebhookEvent<array{
 *     rewardId: string,
 *     externalOrderId: string,
 *     purchaseEventId: string,
 *     integrationId: string,
 *     status: 'PENDING'|'AWAITING_FUNDING'|'AVAILABLE'|'EXPIRED'|'CANCELLED'|'ADMIN_REVIEW',
 *     customerStatus: 'AWAITING_CUSTOMER_CLAIM'|'CLAIMED'|'CLAIM_EXPIRED'|'CANCELLED',
 *     points: int,
 *     liabilityCents: int,
 *     currency: string,
 *     isExample?: true,
 * }>
 */
final class RewardClaimed extends WebhookEvent
{
}

/**
 * The claim window ended before the customer claimed.
 *
 * @extends WebhookEvent<array{
 *     rewardId: string,
 *     externalOrderId: string,
 *     purchaseEventId: string,
 *     integrationId: string,
 *     status: 'PENDING'|'AWAITING_FUNDING'|'AVAILABLE'|'EXPIRED'|'CANCELLED'|'ADMIN_REVIEW',
 *     customerStatus: 'AWAITING_CUSTOMER_CLAIM'|'CLAIMED'|'CLAIM_EXPIRED'|'CANCELLED',
 *     points: int,
 *     liabilityCents: int,
 *     currency: string,
 *     isExample?: true,
 * }>
 */
final class RewardExpired extends WebhookEvent
{
}

/**
 * Part of the order was refunded, and the reward has the points of what remains.
 *
 * @extends WebhookEvent<array{
 *     rewardId: string,
 *     externalOrderId: string,
 *     purchaseEventId: string,
 *     integrationId: string,
 *     status: 'PENDING'|'AWAITING_FUNDING'|'AVAILABLE'|'EXPIRED'|'CANCELLED'|'ADMIN_REVIEW',
 *     customerStatus: 'AWAITING_CUSTOMER_CLAIM'|'CLAIMED'|'CLAIM_EXPIRED'|'CANCELLED',
 *     points: int,
 *     liabilityCents: int,
 *     currency: string,
 *     reducedBy: 'REFUND'|'REVIEW',
 *     lostPoints: int,
 *     refundedCents: int,
 *     isExample?: true,
 * }>
 */
final class RewardReduced extends WebhookEvent
{
}

/**
 * The reward was cancelled by a refund, an operator or the decision of a review.
 *
 * @extends WebhookEvent<array{
 *     rewardId: string,
 *     externalOrderId: string,
 *     purchaseEventId: string,
 *     integrationId: string,
 *     status: 'PENDING'|'AWAITING_FUNDING'|'AVAILABLE'|'EXPIRED'|'CANCELLED'|'ADMIN_REVIEW',
 *     customerStatus: 'AWAITING_CUSTOMER_CLAIM'|'CLAIMED'|'CLAIM_EXPIRED'|'CANCELLED',
 *     points: int,
 *     liabilityCents: int,
 *     currency: string,
 *     cancelledBy: 'REFUND'|'OPERATOR'|'REVIEW',
 *     isExample?: true,
 * }>
 */
final class RewardCancelled extends WebhookEvent
{
}

/**
 * The order of a claimed reward was refunded, and an operator decides.
 *
 * @extends WebhookEvent<array{
 *     rewardId: string,
 *     externalOrderId: string,
 *     purchaseEventId: string,
 *     integrationId: string,
 *     status: 'PENDING'|'AWAITING_FUNDING'|'AVAILABLE'|'EXPIRED'|'CANCELLED'|'ADMIN_REVIEW',
 *     customerStatus: 'AWAITING_CUSTOMER_CLAIM'|'CLAIMED'|'CLAIM_EXPIRED'|'CANCELLED',
 *     points: int,
 *     liabilityCents: int,
 *     currency: string,
 *     reviewId: string,
 *     amountCents: int,
 *     isExample?: true,
 * }>
 */
final class ReviewOpened extends WebhookEvent
{
}

/**
 * An operator has a question about a refund under review. Read and answer it in the portal.
 *
 * @extends WebhookEvent<array{
 *     reviewId: string,
 *     rewardId: string,
 *     externalOrderId: string,
 *     isExample?: true,
 * }>
 */
final class ReviewAsked extends WebhookEvent
{
}

/**
 * A review was decided. If it was upheld, `reward.cancelled` or `reward.reduced` follows with the same sequence.
 *
 * @extends WebhookEvent<array{
 *     rewardId: string,
 *     externalOrderId: string,
 *     purchaseEventId: string,
 *     integrationId: string,
 *     status: 'PENDING'|'AWAITING_FUNDING'|'AVAILABLE'|'EXPIRED'|'CANCELLED'|'ADMIN_REVIEW',
 *     customerStatus: 'AWAITING_CUSTOMER_CLAIM'|'CLAIMED'|'CLAIM_EXPIRED'|'CANCELLED',
 *     points: int,
 *     liabilityCents: int,
 *     currency: string,
 *     reviewId: string,
 *     verdict: 'UPHOLD'|'DISMISS',
 *     isExample?: true,
 * }>
 */
final class ReviewDecided extends WebhookEvent
{
}

/**
 * The available funding fell below your low-balance threshold. LIVE only.
 *
 * @extends WebhookEvent<array{
 *     balanceCents: int,
 *     thresholdCents: int,
 *     runwayDays: int|null,
 *     isExample?: true,
 * }>
 */
final class FundingLow extends WebhookEvent
{
}

/**
 * A top-up arrived, or in TEST test funding was added.
 *
 * @extends WebhookEvent<array{
 *     transactionId: string,
 *     amountCents: int,
 *     balanceCents: int,
 *     isExample?: true,
 * }>
 */
final class FundingToppedUp extends WebhookEvent
{
}

/**
 * Unused funding was paid back to the partner. LIVE only.
 *
 * @extends WebhookEvent<array{
 *     transactionId: string,
 *     amountCents: int,
 *     balanceCents: int,
 *     isExample?: true,
 * }>
 */
final class FundingWithdrawn extends WebhookEvent
{
}

/**
 * A top-up was recorded by mistake, and all of it or a part was taken back. LIVE only.
 *
 * @extends WebhookEvent<array{
 *     transactionId: string,
 *     correctedTransactionId: string,
 *     amountCents: int,
 *     balanceCents: int,
 *     isExample?: true,
 * }>
 */
final class FundingCorrected extends WebhookEvent
{
}

/**
 * The available funding is at or above your low-balance threshold again. LIVE only.
 *
 * @extends WebhookEvent<array{
 *     balanceCents: int,
 *     thresholdCents: int,
 *     runwayDays: int|null,
 *     isExample?: true,
 * }>
 */
final class FundingRecovered extends WebhookEvent
{
}

/**
 * 80 or 100 % of the points that your plan includes in the billing period are used. LIVE only.
 *
 * @extends WebhookEvent<array{
 *     percent: 80|100,
 *     usedPoints: int,
 *     includedPoints: int,
 *     subscriptionId: string,
 *     periodStart: string,
 *     isExample?: true,
 * }>
 */
final class UsageThreshold extends WebhookEvent
{
}

/**
 * 80 or 100 % of the points of a rule's budget are used, in all or in a month.
 *
 * @extends WebhookEvent<array{
 *     budget: string,
 *     of: 'TOTAL'|'MONTH',
 *     month: string|null,
 *     percent: 80|100,
 *     usedPoints: int,
 *     limitPoints: int,
 *     ruleId: string,
 *     isExample?: true,
 * }>
 */
final class BudgetThreshold extends WebhookEvent
{
}

/**
 * Points of a customer end in 30 days, or in 7, unless the customer claims or spends points before then. The service tells the customer, too, unless you deliver the claim links.
 *
 * @extends WebhookEvent<array{
 *     rewardId: string,
 *     externalOrderId: string,
 *     integrationId: string,
 *     customerId: string,
 *     points: int,
 *     liabilityCents: int,
 *     endsAt: string,
 *     days: 30|7,
 *     isExample?: true,
 * }>
 */
final class PointsEnding extends WebhookEvent
{
}

/**
 * Points of a customer ended after a time without activity, and their money went back to your funding.
 *
 * @extends WebhookEvent<array{
 *     rewardId: string,
 *     externalOrderId: string,
 *     integrationId: string,
 *     customerId: string,
 *     points: int,
 *     liabilityCents: int,
 *     endedAt: string,
 *     leftPoints: int,
 *     isExample?: true,
 * }>
 */
final class PointsEnded extends WebhookEvent
{
}

/**
 * An invoice was issued. LIVE only.
 *
 * @extends WebhookEvent<array{
 *     invoiceId: string,
 *     number: string,
 *     kind: 'PERIOD'|'PRORATION',
 *     totalCents: int,
 *     currency: string,
 *     periodStart: string,
 *     periodEnd: string,
 *     dueAt: string,
 *     paymentReference: string,
 *     isExample?: true,
 * }>
 */
final class InvoiceIssued extends WebhookEvent
{
}

/**
 * A payment of an invoice, or of a part of it, arrived. LIVE only.
 *
 * @extends WebhookEvent<array{
 *     invoiceId: string,
 *     number: string,
 *     currency: string,
 *     totalCents: int,
 *     paidCents: int,
 *     leftCents: int,
 *     dueAt: string,
 *     amountCents: int,
 *     paymentStatus: 'DUE'|'PARTIALLY_PAID'|'PAID'|'OVERDUE'|'VOID',
 *     isExample?: true,
 * }>
 */
final class InvoicePaymentRecorded extends WebhookEvent
{
}

/**
 * A recorded payment did not arrive, and is due again. LIVE only.
 *
 * @extends WebhookEvent<array{
 *     invoiceId: string,
 *     number: string,
 *     currency: string,
 *     totalCents: int,
 *     paidCents: int,
 *     leftCents: int,
 *     dueAt: string,
 *     amountCents: int,
 *     paymentStatus: 'DUE'|'PARTIALLY_PAID'|'PAID'|'OVERDUE'|'VOID',
 *     isExample?: true,
 * }>
 */
final class InvoicePaymentReversed extends WebhookEvent
{
}

/**
 * A reminder: something is left to pay after the due date. Sent on the day after it, 7 and 21 days later. LIVE only.
 *
 * @extends WebhookEvent<array{
 *     invoiceId: string,
 *     number: string,
 *     currency: string,
 *     totalCents: int,
 *     paidCents: int,
 *     leftCents: int,
 *     dueAt: string,
 *     paymentReference: string,
 *     reminder: int,
 *     isLastReminder: bool,
 *     isExample?: true,
 * }>
 */
final class InvoiceOverdue extends WebhookEvent
{
}

/**
 * An invoice was taken back by a credit note. LIVE only.
 *
 * @extends WebhookEvent<array{
 *     invoiceId: string,
 *     number: string,
 *     currency: string,
 *     totalCents: int,
 *     paidCents: int,
 *     leftCents: int,
 *     dueAt: string,
 *     creditNoteNumber: string,
 *     isExample?: true,
 * }>
 */
final class InvoiceVoided extends WebhookEvent
{
}

/**
 * Your go-live request was approved. Sent to endpoints of both modes.
 *
 * @extends WebhookEvent<array{
 *     isExample?: true,
 * }>
 */
final class GoLiveApproved extends WebhookEvent
{
}

/**
 * Your go-live request was returned with changes requested. Sent to endpoints of both modes.
 *
 * @extends WebhookEvent<array{
 *     reason: string|null,
 *     isExample?: true,
 * }>
 */
final class GoLiveReturned extends WebhookEvent
{
}

/**
 * An API key was created.
 *
 * @extends WebhookEvent<array{
 *     credentialId: string,
 *     integrationId: string,
 *     scopes: list<'events:write'|'events:read'|'customers:read'|'redemptions:write'>,
 *     isExample?: true,
 * }>
 */
final class CredentialCreated extends WebhookEvent
{
}

/**
 * An API key was revoked.
 *
 * @extends WebhookEvent<array{
 *     credentialId: string,
 *     integrationId: string,
 *     scopes: list<'events:write'|'events:read'|'customers:read'|'redemptions:write'>,
 *     isExample?: true,
 * }>
 */
final class CredentialRevoked extends WebhookEvent
{
}

/**
 * A signing secret of a LIVE API key expires in four weeks, or in one. Rotate it: requests that it signs are refused once it has expired.
 *
 * @extends WebhookEvent<array{
 *     credentialId: string,
 *     integrationId: string,
 *     scopes: list<'events:write'|'events:read'|'customers:read'|'redemptions:write'>,
 *     secretId: string,
 *     expiresAt: string,
 *     isExample?: true,
 * }>
 */
final class CredentialExpiring extends WebhookEvent
{
}

/**
 * A service account was created or revoked, or its token was rotated.
 *
 * @extends WebhookEvent<array{
 *     serviceAccountId: string,
 *     change: 'CREATED'|'ROTATED'|'REVOKED',
 *     scopes: list<'log:read'|'rewards:read'>,
 *     isExample?: true,
 * }>
 */
final class ServiceAccountChanged extends WebhookEvent
{
}

/**
 * An order comparison is done or failed. Read it for the differences.
 *
 * @extends WebhookEvent<array{
 *     reconciliationId: string,
 *     integrationId: string,
 *     status: 'DONE'|'FAILED',
 *     rows: int,
 *     matched: int|null,
 *     missing: int|null,
 *     notInFile: int|null,
 *     duplicate: int|null,
 *     mismatched: int|null,
 *     isExample?: true,
 * }>
 */
final class ReconciliationCompleted extends WebhookEvent
{
}

/**
 * You tested the endpoint in the portal or by the API.
 *
 * @extends WebhookEvent<array{
 *     endpointId: string,
 *     isExample?: true,
 * }>
 */
final class TestPing extends WebhookEvent
{
}

/** @internal */
final class Types
{
    /** @var array<string, class-string<WebhookEvent<array<string, mixed>>>> */
    public const CLASSES = [
        'reward.funded' => RewardFunded::class,
        'reward.awaiting_funding' => RewardAwaitingFunding::class,
        'reward.claimable' => RewardClaimable::class,
        'reward.claimed' => RewardClaimed::class,
        'reward.expired' => RewardExpired::class,
        'reward.reduced' => RewardReduced::class,
        'reward.cancelled' => RewardCancelled::class,
        'review.opened' => ReviewOpened::class,
        'review.asked' => ReviewAsked::class,
        'review.decided' => ReviewDecided::class,
        'funding.low' => FundingLow::class,
        'funding.topped_up' => FundingToppedUp::class,
        'funding.withdrawn' => FundingWithdrawn::class,
        'funding.corrected' => FundingCorrected::class,
        'funding.recovered' => FundingRecovered::class,
        'usage.threshold' => UsageThreshold::class,
        'budget.threshold' => BudgetThreshold::class,
        'points.ending' => PointsEnding::class,
        'points.ended' => PointsEnded::class,
        'invoice.issued' => InvoiceIssued::class,
        'invoice.payment_recorded' => InvoicePaymentRecorded::class,
        'invoice.payment_reversed' => InvoicePaymentReversed::class,
        'invoice.overdue' => InvoiceOverdue::class,
        'invoice.voided' => InvoiceVoided::class,
        'go_live.approved' => GoLiveApproved::class,
        'go_live.returned' => GoLiveReturned::class,
        'credential.created' => CredentialCreated::class,
        'credential.revoked' => CredentialRevoked::class,
        'credential.expiring' => CredentialExpiring::class,
        'service_account.changed' => ServiceAccountChanged::class,
        'reconciliation.completed' => ReconciliationCompleted::class,
        'test.ping' => TestPing::class,
    ];
}

// End.
