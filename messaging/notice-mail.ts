import { assertNever } from '../domain/assert-never.ts';
import type { NoticeType } from '../domain/notices.ts';
import { runwayWords } from '../domain/runway.ts';
import type { OperatorEventType } from '../domain/webhooks.ts';
import { sha256Hex } from '../platform/hashing.ts';
import type { Mail } from './message.ts';
import { portalMail } from './portal-mails.ts';

/** An event of a partner's, as it was put into the outbox. */
export interface NoticeEvent {
  id: string;
  type: Exclude<NoticeType, 'webhook-endpoint.news'> | OperatorEventType;
  data: Record<string, unknown>;
  /** Of what operators are told: the sentence. */
  text?: string;
}

/**
 * One email about all that waits for a user: a sentence for each, and one for all that are of a kind that
 * comes in numbers. Made of the same events it has the same id.
 * @param currency of the partner's money
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

const counted = (number: unknown): string => Number(number).toLocaleString('en-US');

const moneyOf = (cents: unknown, currency: string): string =>
  `${currency} ${(Number(cents) / 100).toLocaleString('en-US', { minimumFractionDigits: 2 })}`;

const sentenceOf =
  (currency: string) =>
  ({ type, data, text = '' }: NoticeEvent): string => {
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
        return `Your LIVE funding is down to ${moneyOf(data.balanceCents, currency)}, below ${moneyOf(data.thresholdCents, currency)}${lasting(data)}.`;
      case 'funding.recovered':
        return `Your LIVE funding is back at ${moneyOf(data.balanceCents, currency)}, no longer below ${moneyOf(data.thresholdCents, currency)}${lasting(data)}.`;
      case 'funding.topped_up':
        return `A top-up of ${moneyOf(data.amountCents, currency)} arrived: your LIVE funding is ${moneyOf(data.balanceCents, currency)}.`;
      case 'usage.threshold':
        return `${data.percent}% of your plan’s points are used: ${counted(data.usedPoints)} of ${counted(data.includedPoints)}.`;
      case 'invoice.issued':
        return `Invoice ${data.number} for ${moneyOf(data.totalCents, String(data.currency))} was issued.`;
      case 'review.asked':
        return `An operator has a question about the refund of order ${oneLine(data.externalOrderId)}: answer it under Questions.`;
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

/** How long the funds last, where anything is being spent. */
const lasting = ({ runwayDays }: Record<string, unknown>): string =>
  typeof runwayDays === 'number'
    ? `; at the recent rate it will last ${runwayWords(runwayDays)}`
    : '';

function waitingSentence(waiting: readonly NoticeEvent[], currency: string): string {
  const cents = waiting.reduce((sum, { data }) => sum + Number(data.liabilityCents), 0);
  const many = waiting.length > 1;
  return `${waiting.length} ${many ? 'rewards wait' : 'reward waits'} for funds: ${moneyOf(cents, currency)} in all.`;
}

/** An order's id is the partner's own text, and a subject is one line. */
const oneLine = (text: unknown): string =>
  String(text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
