import { assertNever } from '../domain/assert-never.ts';
import { moneyText } from '../domain/money.ts';
import type { NoticeType } from '../domain/notices.ts';
import type { OperatorEventType } from '../domain/webhooks.ts';
import { sha256Hex } from '../platform/hashing.ts';
import type { Mail } from './message.ts';
import { portalMail } from './portal-mails.ts';
import { teamText } from './words/team-en.ts';

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
  const subject =
    sentences.length === 1
      ? first.replace(/\.$/, '')
      : teamText('notice.subject', { count: sentences.length });
  const id = `notice-${sha256Hex(events.map((event) => event.id).join(' ')).slice(0, 24)}`;
  return portalMail(
    { id, to, subject },
    {
      paragraphs: sentences,
      link: { text: teamText('notice.button'), url: `${portalUrl}/` },
      more: [{ text: teamText('team.chooseNotices'), url: `${portalUrl}/account/notices` }],
    },
  );
}

const moneyOf = (cents: unknown, currency: string): string => moneyText(Number(cents), currency);

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
        return teamText('notice.goLiveApproved');
      case 'go_live.returned':
        return teamText('notice.goLiveReturned', { reason: oneLine(data.reason) });
      case 'funding.low':
        return typeof data.runwayDays === 'number'
          ? teamText('notice.fundingLowLasting', {
              ...fundsOf(data, currency),
              days: data.runwayDays,
            })
          : teamText('notice.fundingLow', fundsOf(data, currency));
      case 'funding.recovered':
        return typeof data.runwayDays === 'number'
          ? teamText('notice.fundingRecoveredLasting', {
              ...fundsOf(data, currency),
              days: data.runwayDays,
            })
          : teamText('notice.fundingRecovered', fundsOf(data, currency));
      case 'funding.topped_up':
        return teamText('notice.fundingToppedUp', {
          amount: moneyOf(data.amountCents, currency),
          balance: moneyOf(data.balanceCents, currency),
        });
      case 'usage.threshold':
        return teamText('notice.usageThreshold', {
          percent: Number(data.percent),
          used: Number(data.usedPoints),
          included: Number(data.includedPoints),
        });
      case 'invoice.issued':
        return teamText('notice.invoiceIssued', {
          number: String(data.number),
          total: moneyOf(data.totalCents, String(data.currency)),
        });
      case 'review.asked':
        return teamText('notice.reviewAsked', { order: oneLine(data.externalOrderId) });
      case 'review.decided':
        return teamText('notice.reviewDecided', {
          order: oneLine(data.externalOrderId),
          verdict: String(data.verdict),
        });
      case 'credential.created':
        return teamText('notice.keyCreated', { key: String(data.credentialId) });
      case 'credential.revoked':
        return teamText('notice.keyRevoked', { key: String(data.credentialId) });
      case 'service_account.changed':
        return teamText('notice.serviceAccount', {
          account: String(data.serviceAccountId),
          change: String(data.change).toLowerCase(),
        });
      case 'reward.awaiting_funding':
        return waitingSentence([{ id: '', type, data }], currency);
      default:
        return assertNever(type, 'notice');
    }
  };

/** The balance, and the partner's threshold for a low balance. */
const fundsOf = (data: Record<string, unknown>, currency: string) => ({
  balance: moneyOf(data.balanceCents, currency),
  threshold: moneyOf(data.thresholdCents, currency),
});

function waitingSentence(waiting: readonly NoticeEvent[], currency: string): string {
  const cents = waiting.reduce((sum, { data }) => sum + Number(data.liabilityCents), 0);
  return teamText('notice.waiting', { rewards: waiting.length, amount: moneyOf(cents, currency) });
}

/** Partners choose order ids freely, but a subject is one line. */
const oneLine = (text: unknown): string =>
  String(text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
