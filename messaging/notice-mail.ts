import { assertNever } from '../domain/assert-never.ts';
import { moneyText } from '../domain/money.ts';
import type { NoticeType } from '../domain/partners.ts';
import type { OperatorEventType } from '../domain/webhooks.ts';
import { sha256Hex } from '../platform/hashing.ts';
import type { Mail } from './message.ts';
import { daysWords, portalMail } from './portal-mails.ts';

/** An event from the outbox of a user's notices. */
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
 */
export function noticeMail(
  portalUrl: string,
  to: string,
  events: readonly NoticeEvent[],
  currency: string,
): Mail {
  const waiting = events.filter(({ type }) => type === 'reward.awaiting_funding');
  const sentences = [
    ...events.filter(({ type }) => type !== 'reward.awaiting_funding').map(sentenceOf(currency)),
    ...(waiting.length === 0 ? [] : [waitingSentence(waiting, currency)]),
  ];
  const [first = ''] = sentences;
  const subject = sentences.length === 1 ? first.replace(/\.$/, '') : `${sentences.length} notices`;
  const id = `notice-${sha256Hex(events.map((event) => event.id).join(' ')).slice(0, 24)}`;
  return portalMail(
    { id, to, subject },
    {
      paragraphs: sentences,
      link: { text: 'View in the portal', url: `${portalUrl}/` },
      more: [{ text: 'Choose your notices', url: `${portalUrl}/account/notices` }],
    },
  );
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
      case 'usage.threshold':
        return `${grouped(data.percent)}% of your plan’s points are used: ${grouped(data.usedPoints)} of ${grouped(data.includedPoints)}.`;
      case 'invoice.issued':
        return `Invoice ${data.number} for ${moneyOf(data.totalCents, String(data.currency))} was issued.`;
      case 'review.asked':
        return `An operator has a question about the refund of order ${oneLine(data.externalOrderId)}. Answer it under Questions.`;
      case 'review.decided':
        return `The review of order ${oneLine(data.externalOrderId)} was decided: the refund was ${data.verdict === 'UPHOLD' ? 'upheld' : 'dismissed'}.`;
      case 'credential.created':
        return `The LIVE API key ${data.credentialId} was created.`;
      case 'credential.revoked':
        return `The LIVE API key ${data.credentialId} was revoked.`;
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

/** Partners choose order ids freely, but a subject is one line. */
const oneLine = (text: unknown): string =>
  String(text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
