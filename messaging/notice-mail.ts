import { assertNever } from '../domain/assert-never.ts';
import { moneyText } from '../domain/money.ts';
import type { NoticeType } from '../domain/partners.ts';
import type { OperatorEventType } from '../domain/webhooks.ts';
import { sha256Hex } from '../platform/hashing.ts';
import type { Mail } from './message.ts';
import { daysWords, portalMail } from './portal-mails.ts';

/** An event of a user's notices. */
export interface NoticeEvent {
  id: string;
  type: Exclude<NoticeType, 'webhook-endpoint.news'> | OperatorEventType;
  data: Record<string, unknown>;
  /** The sentence of a notice to operators. */
  text?: string;
}

/**
 * One email about all pending notices of a user: a sentence for each, but a single one for all rewards
 * that await funding. The same events produce the same id.
 * @param currency of the partner's funds
 * @param howToPay null if the installation names no bank account
 */
export function noticeMail(
  portalUrl: string,
  to: string,
  events: readonly NoticeEvent[],
  currency: string,
  howToPay: HowToPay | null = null,
): Mail {
  const waiting = events.filter(({ type }) => type === 'reward.awaiting_funding');
  const sentences = [
    ...events.filter(({ type }) => type !== 'reward.awaiting_funding').map(sentenceOf(currency)),
    ...(waiting.length === 0 ? [] : [waitingSentence(waiting, currency)]),
  ];
  const [first = ''] = sentences;
  const more = sentences.length === 1 ? '' : `, and ${sentences.length - 1} more`;
  const subject = first.replace(/\.$/, '') + more;
  const id = `notice-${sha256Hex(events.map((event) => event.id).join(' ')).slice(0, 24)}`;
  return portalMail(
    { id, to, subject },
    {
      paragraphs: [...sentences, ...paymentParagraphs(events, howToPay)],
      link: { text: 'View in the portal', url: portalUrl + pathAbout(events) },
      more: [{ text: 'Choose your notices', url: `${portalUrl}/account/notices` }],
    },
  );
}

/** The page about all of them; the start page if each has its own. */
function pathAbout(events: readonly NoticeEvent[]): string {
  const [path, ...others] = new Set(events.map(pathOf));
  const areApprovals = events.every(({ type }) => type === 'approval.waiting');
  if (areApprovals && others.length > 0) return '/admin/approvals';
  return path === undefined || others.length > 0 ? '/' : path;
}

function pathOf({ type, data }: NoticeEvent): string {
  switch (type) {
    case 'go_live.approved':
    case 'go_live.returned':
      return '/home';
    case 'funding.low':
    case 'reward.awaiting_funding':
      return '/funding/how-to-pay';
    case 'funding.recovered':
    case 'funding.topped_up':
    case 'funding.withdrawn':
    case 'funding.corrected':
      return '/funding';
    case 'usage.threshold':
      return '/usage';
    case 'budget.threshold':
      return `/rules/${data.ruleId}`;
    case 'invoice.issued':
    case 'invoice.payment_recorded':
    case 'invoice.payment_reversed':
    case 'invoice.overdue':
    case 'invoice.voided':
      return `/invoices/${data.invoiceId}`;
    case 'review.asked':
      return `/questions/${data.reviewId}`;
    case 'review.decided':
      return `/orders/${data.rewardId}`;
    case 'credential.created':
    case 'credential.revoked':
    case 'credential.expiring':
      return `/keys/${data.credentialId}`;
    case 'service_account.changed':
      return `/service-accounts/${data.serviceAccountId}`;
    case 'review.waiting':
    case 'review.due':
    case 'review.answered':
      return '/admin/reviews';
    case 'approval.waiting':
      return `/admin/approvals/${data.proposalId}`;
    case 'audit.faults':
      return '/admin/audit-runs';
    case 'go_live.requested':
      return '/admin';
    default:
      return assertNever(type, 'notice');
  }
}

/** Where partners transfer money to. */
export interface HowToPay {
  /** One entry per line. */
  details: string;
  /** What a transfer has to name that tops up the funding. */
  topUpReference: string;
}

const lackFunds: readonly string[] = ['funding.low', 'reward.awaiting_funding'];

/** The bank account, if something is to be paid, and what each transfer has to name. */
function paymentParagraphs(events: readonly NoticeEvent[], howToPay: HowToPay | null): string[] {
  if (howToPay === null) return [];
  const { details, topUpReference } = howToPay;
  const invoices = events.flatMap(({ type, data: { number, paymentReference } }) =>
    (type === 'invoice.issued' || type === 'invoice.overdue') && paymentReference !== undefined
      ? [`for invoice ${number}, ${paymentReference}`]
      : [],
  );
  const isShort = events.some(({ type }) => lackFunds.includes(type));
  const references = [
    ...new Set(invoices),
    ...(isShort ? [`for a top-up, ${topUpReference}`] : []),
  ];
  if (references.length === 0) return [];
  return [
    `How to pay: transfer it to ${details.split('\n').join(', ')}. The reference is: ${references.join('; ')}.`,
  ];
}

const moneyOf = (cents: unknown, currency: string): string => moneyText(Number(cents), currency);

const sentenceOf =
  (currency: string) =>
  ({ type, data, text = '' }: NoticeEvent): string => {
    const balance = moneyOf(data.balanceCents, currency);
    const threshold = moneyOf(data.thresholdCents, currency);
    switch (type) {
      case 'review.waiting':
      case 'review.due':
      case 'review.answered':
      case 'approval.waiting':
      case 'go_live.requested':
      case 'audit.faults':
        return text;
      case 'go_live.approved':
        return 'Your go-live request was approved. Create a LIVE key to start.';
      case 'go_live.returned':
        return `Your go-live request needs changes: ${oneLine(data.reason)}`;
      case 'funding.low':
        return `Your LIVE funding is down to ${balance}, below ${threshold}${lasting(data)}.`;
      case 'funding.recovered':
        return `Your LIVE funding is back at ${balance}, no longer below ${threshold}${lasting(data)}.`;
      case 'funding.topped_up':
        return `A top-up of ${moneyOf(data.amountCents, currency)} was credited. Your LIVE funding is ${balance}.`;
      case 'funding.withdrawn':
        return `${moneyOf(data.amountCents, currency)} of your LIVE funding was paid back to you. Your LIVE funding is ${balance}.`;
      case 'funding.corrected':
        return `A top-up was corrected: ${moneyOf(data.amountCents, currency)} was taken back. Your LIVE funding is ${balance}.`;
      case 'usage.threshold':
        return `${grouped(data.percent)}% of your plan’s points are used: ${grouped(data.usedPoints)} of ${grouped(data.includedPoints)}.`;
      case 'budget.threshold':
        return `${grouped(data.percent)}% of the points ${data.of === 'MONTH' ? `of ${monthWords(data.month)}` : 'in all'} of your budget “${oneLine(data.budget)}” are used: ${grouped(data.usedPoints)} of ${grouped(data.limitPoints)}.${data.percent === 100 ? ' Purchases earn no more points from it.' : ''}`;
      case 'invoice.issued':
        return `Invoice ${data.number} for ${moneyOf(data.totalCents, String(data.currency))} was issued.`;
      case 'invoice.payment_recorded':
        return `A payment of ${moneyOf(data.amountCents, String(data.currency))} for invoice ${data.number} arrived. ${data.leftCents === 0 ? 'It is paid' : `${moneyOf(data.leftCents, String(data.currency))} is left to pay`}.`;
      case 'invoice.payment_reversed':
        return `A payment of ${moneyOf(data.amountCents, String(data.currency))} for invoice ${data.number} was recorded by mistake: it did not arrive. ${moneyOf(data.leftCents, String(data.currency))} is left to pay.`;
      case 'invoice.overdue':
        return `${data.isLastReminder === true ? 'Last reminder' : 'Reminder'}: ${moneyOf(data.leftCents, String(data.currency))} of invoice ${data.number} was due on ${dayWords(data.dueAt)}.`;
      case 'invoice.voided':
        return `Invoice ${data.number} was voided by the credit note ${data.creditNoteNumber}. Nothing is due for it.`;
      case 'review.asked':
        return `An operator has a question about the refund of order ${oneLine(data.externalOrderId)}. Answer it under Questions.`;
      case 'review.decided':
        return `The review of order ${oneLine(data.externalOrderId)} was decided: the refund was ${data.verdict === 'UPHOLD' ? 'upheld' : 'dismissed'}.`;
      case 'credential.created':
        return `The LIVE API key ${data.credentialId} was created.`;
      case 'credential.revoked':
        return `The LIVE API key ${data.credentialId} was revoked.`;
      case 'credential.expiring':
        return `The secret ${data.secretId} of the LIVE API key ${data.credentialId} expires on ${dayWords(data.expiresAt)}. Rotate it before that.`;
      case 'service_account.changed':
        return `The LIVE service account ${data.serviceAccountId} was ${String(data.change).toLowerCase()}.`;
      case 'reward.awaiting_funding':
        return waitingSentence([{ id: '', type, data }], currency);
      default:
        return assertNever(type, 'notice');
    }
  };

/** How long funds last, as the end of a sentence; empty if nothing is being spent. */
const lasting = ({ runwayDays }: Record<string, unknown>): string =>
  typeof runwayDays === 'number' ? `, and lasts ${daysWords(runwayDays)} at the current rate` : '';

const grouped = (count: unknown): string => Number(count).toLocaleString('en');

function waitingSentence(waiting: readonly NoticeEvent[], currency: string): string {
  const cents = waiting.reduce((sum, { data }) => sum + Number(data.liabilityCents), 0);
  return `${waiting.length === 1 ? '1 reward is' : `${grouped(waiting.length)} rewards are`} waiting for funds: ${moneyOf(cents, currency)} in total.`;
}

const dayWords = (at: unknown): string =>
  new Date(String(at)).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** @param month `yyyy-mm` */
const monthWords = (month: unknown): string =>
  new Date(`${month}-01`).toLocaleDateString('en-GB', {
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });

/** Partners choose order ids freely, but a subject is one line. */
const oneLine = (text: unknown): string =>
  String(text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
