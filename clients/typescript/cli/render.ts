import Table from 'cli-table3';
import { microsText, moneyText } from '../../../domain/money.ts';
import type { AnswerMeta } from '../answer.ts';
import type { TestMoved } from '../portal-client.ts';
import type {
  BalanceResponse,
  BillingResponse,
  PlansResponse,
  PlanVersion,
  PurchaseResponse,
  QuoteResponse,
  RedemptionResponse,
  RefundResponse,
  RewardResponse,
  UsageResponse,
} from '../types.ts';
import { minorUnitsText } from './money.ts';

/** Each function renders one response as text. */

export function renderPurchase(answer: PurchaseResponse & AnswerMeta): string {
  const { reward } = answer;
  return lines(`Purchase ${answer.externalOrderId} accepted, ${answer.mode}${replayed(answer)}`, [
    ['Event', answer.eventId],
    ['Reward', `${reward.id}, ${reward.status}, ${reward.customerStatus}`],
    ['Points', reward.points],
    ['Claim from', reward.claimableFrom ? formatTime(reward.claimableFrom) : undefined],
    ['Claim by', formatTime(reward.claimExpiresAt)],
    ['Claim link', reward.claimUrl],
    ['Request', answer.requestId],
  ]);
}

const refundMeaning = {
  CANCELLED: 'the reward is cancelled',
  REDUCED: 'the reward has the points of what remains',
  ADMIN_REVIEW: 'the customer had claimed the reward, so an operator decides',
  NO_ACTION: 'the reward had expired, so there is nothing to cancel',
};

export function renderRefund(answer: RefundResponse & AnswerMeta): string {
  const { refund, reward } = answer;
  return lines(`Refund of ${answer.externalOrderId} accepted, ${answer.mode}${replayed(answer)}`, [
    ['Event', answer.eventId],
    ['Refund', `${refund.externalRefundId}, ${refund.status}: ${refundMeaning[refund.status]}`],
    ['Amount', minorUnitsText(refund.amountCents)],
    ['Reward', `${reward.id}, ${reward.status}`],
    ['Points', reward.points],
    ['Request', answer.requestId],
  ]);
}

export function renderQuote(answer: QuoteResponse & AnswerMeta): string {
  return lines(`A purchase would give ${answer.points} points, ${answer.mode}`, [
    ['Because', answer.explanation],
    ['Rule', answer.ruleId],
    ['Claim from', answer.claimableFrom ? formatTime(answer.claimableFrom) : undefined],
    ['To claim in', answer.claimWindow],
    ['Request', answer.requestId],
  ]);
}

export function renderBalance(answer: BalanceResponse & AnswerMeta): string {
  const { points, amountCents, currency } = answer;
  return lines(`The customer can spend ${points} points, ${answer.mode}`, [
    ['Worth', moneyText(amountCents, currency)],
    ['On hold', answer.heldPoints],
    ['Unclaimed', answer.pendingPoints],
    ['Ending', answer.endsAt ? `${answer.endingPoints}, ${formatTime(answer.endsAt)}` : undefined],
    ['Request', answer.requestId],
  ]);
}

export function renderRedemption(answer: RedemptionResponse & AnswerMeta): string {
  const { redemption, balance } = answer;
  const { externalRedemptionId, expiresAt, status } = redemption;
  return lines(`Redemption ${externalRedemptionId} ${status}, ${answer.mode}${replayed(answer)}`, [
    ['Event', answer.eventId],
    ['Redemption', redemption.id],
    ['Points', redemption.points],
    ['Pay for', minorUnitsText(redemption.amountCents)],
    ['Held until', status === 'HELD' && expiresAt ? formatTime(expiresAt) : undefined],
    ['Left', `${balance.points} points`],
    ['Request', answer.requestId],
  ]);
}

export function renderReward({
  mode,
  reward,
  requestId,
}: Pick<RewardResponse, 'mode' | 'reward'> & AnswerMeta): string {
  const { refunds, review } = reward;
  const summary = lines(`Reward of ${reward.externalOrderId}, ${mode}`, [
    ['Reward', `${reward.id}, ${reward.status}, ${reward.customerStatus}`],
    ['Points', reward.points],
    ['Claim from', reward.claimableFrom ? formatTime(reward.claimableFrom) : undefined],
    ['Claim by', formatTime(reward.claimExpiresAt)],
    ['Created', formatTime(reward.createdAt)],
    ['Changed', formatTime(reward.updatedAt)],
    ['Review', review ? describeReview(review) : undefined],
    ['Request', requestId],
  ]);
  const rows = refunds.map(({ externalRefundId, status, amountCents, receivedAt }) => [
    externalRefundId,
    minorUnitsText(amountCents),
    status,
    formatTime(receivedAt),
  ]);
  return summary + table(['Refund', 'Amount', 'Outcome', 'Received'], rows);
}

function describeReview({
  status,
  decidedAt,
}: NonNullable<RewardResponse['reward']['review']>): string {
  return decidedAt === null ? status : `${status}, ${formatTime(decidedAt)}`;
}

export function renderTestMove({ reward, requestId }: TestMoved & AnswerMeta): string {
  return lines(`Reward of ${reward.externalOrderId} moved, TEST`, [
    ['Reward', `${reward.id}, ${reward.status}, ${reward.customerStatus}`],
    ['Points', reward.points],
    ['Request', requestId],
  ]);
}

export function renderPlans({ plans, requestId }: PlansResponse & AnswerMeta): string {
  const rows = plans.map((plan) => [
    planTitle(plan),
    moneyText(plan.monthlyPriceCents, plan.currency),
    moneyText(plan.annualPriceCents, plan.currency),
    plan.includedPoints,
    microsText(plan.overageRateMicrosPerPoint, plan.currency),
    plan.apiRateLimitPerMinute,
    plan.supportClass,
    plan.features.join('\n'),
  ]);
  const head = [
    'Plan',
    'Monthly',
    'Annual',
    'Points included',
    'Per further point',
    'Requests a minute',
    'Support',
    'Features',
  ];
  const summary = lines('Plans', [
    ['Published', plans.length],
    ['Request', requestId],
  ]);
  return summary + table(head, rows);
}

export function renderUsage(answer: UsageResponse & AnswerMeta): string {
  const { billingPeriod, projection, recommendation } = answer;
  const money = (cents: number) => moneyText(cents, answer.currency);
  const summary = lines(`Usage, ${answer.mode}`, [
    ['Period', `${formatTime(billingPeriod.start)} to ${formatTime(billingPeriod.end)}`],
    ['Points', `${answer.includedPointsConsumed} of ${answer.includedPoints} included`],
    ['Overage', `${answer.overagePoints} points, ${money(answer.accruedOverageCents)}`],
    ['Liability', money(answer.rewardLiabilityCents)],
    [
      'Projected',
      `${projection.points} points (${projection.lowPoints} to ${projection.highPoints}), ${projection.overagePoints} of them overage for ${money(projection.overageCents)}; from ${projection.basisDays} days`,
    ],
    ['Advice', `${recommendation.action}: ${recommendation.reason}`],
    ['Request', answer.requestId],
  ]);
  const rows = answer.recentEvents.map((event) => [
    event.eventId,
    event.type,
    event.externalOrderId,
    event.points,
    formatTime(event.receivedAt),
  ]);
  return summary + table(['Event', 'Type', 'Order', 'Points', 'Received'], rows);
}

export function renderBilling(answer: BillingResponse & AnswerMeta): string {
  const { subscription, planVersion, wallet, rewardFunding } = answer;
  const money = (cents: number) => moneyText(cents, wallet.currency);
  const summary = lines(`Billing, ${answer.mode}`, [
    ['Plan', planVersion ? planTitle(planVersion) : 'none'],
    [
      'Subscription',
      subscription
        ? `${subscription.id}, ${subscription.status}, ${subscription.interval}`
        : undefined,
    ],
    ['Period ends', subscription ? formatTime(subscription.currentPeriodEnd) : undefined],
    ['Ends', subscription?.endsAt ? formatTime(subscription.endsAt) : undefined],
    [
      'Wallet',
      `${money(wallet.balanceCents)}, ${money(wallet.reservedCents)} reserved, ${money(wallet.availableCents)} available`,
    ],
    [
      'Funding',
      `${money(rewardFunding.balanceCents)}, low below ${money(rewardFunding.lowBalanceThresholdCents)}`,
    ],
    ['Runway', rewardFunding.runwayDays === null ? undefined : `${rewardFunding.runwayDays} days`],
    ['Request', answer.requestId],
  ]);
  const rows = answer.invoices.map((invoice) => [
    invoice.number,
    invoice.status,
    invoice.paymentStatus,
    moneyText(invoice.totalCents, invoice.currency),
    formatTime(invoice.dueAt),
  ]);
  return summary + table(['Invoice', 'Status', 'Payment', 'Total', 'Due'], rows);
}

function planTitle({ name, planCode, version }: PlanVersion): string {
  return `${name} (${planCode} v${version})`;
}

/** A title followed by entries, one per line, without undefined ones. */
export function lines(title: string, entries: [string, string | number | undefined][]): string {
  const known = entries.filter(([, value]) => value !== undefined);
  const rows = known.map(([name, value]) => `  ${name.padEnd(14)}${value}`);
  return `${[title, ...rows].join('\n')}\n`;
}

export function table(head: string[], rows: (string | number)[][]): string {
  if (rows.length === 0) return '';
  const drawn = new Table({ head, style: { head: [], border: [] } });
  drawn.push(...rows);
  return `${drawn.toString()}\n`;
}

function replayed(answer: AnswerMeta): string {
  return answer.replayed ? ' (replayed)' : '';
}

/** `2025-01-31T09:30:00.000Z` → `2025-01-31 09:30:00 UTC`. */
function formatTime(iso: string): string {
  return `${new Date(iso).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
