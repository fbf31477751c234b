import { accentOf, type Branding, fitLogo, logoPathOf, spendLinkOf } from '../domain/branding.ts';
import { nameInMessages } from '../domain/merchant-names.ts';
import type { Channel } from '../domain/messages.ts';
import type { Mode } from '../domain/mode.ts';
import { replyAddress } from '../domain/partner-contact.ts';
import type { RewardSnapshot } from '../domain/reward.ts';
import { merchantText } from '../domain/text-messages.ts';
import { newId } from '../platform/ids.ts';
import { bodiesOf } from './mail-body.ts';
import type { Mail, TextMessage } from './message.ts';
import type { Speech } from './words/speech.ts';

/** Why a customer is sent a message about a reward. */
export type MessageReason = 'OFFER' | 'REMINDER' | 'TAKEN_BACK';

/** The prefix of its keys in the catalogue. */
const catalogueKeyOf = { OFFER: 'offer', REMINDER: 'reminder', TAKEN_BACK: 'takenBack' } as const;

/** The ids of messages, so that each is sent once. */
const idsOf: Record<MessageReason, Record<Channel, (rewardId: string) => string>> = {
  OFFER: { EMAIL: (id) => id, SMS: (id) => `text-${id}` },
  REMINDER: { EMAIL: (id) => `reminder-${id}`, SMS: (id) => `reminder-${id}` },
  TAKEN_BACK: { EMAIL: (id) => `taken-back-${id}`, SMS: (id) => `taken-back-${id}` },
};

type Reward = Pick<
  RewardSnapshot,
  'rewardId' | 'mode' | 'points' | 'liabilityCents' | 'claimExpiresAt'
>;

/** The partner fields that appear in messages to its customers. */
interface CustomersPartner {
  name: string;
  website: string | null;
  supportEmail: string | null;
  contactEmail: string | null;
  verifiedContactEmail?: string | null;
  verifiedSupportEmail?: string | null;
  branding?: Branding;
}

/** What a message is about, and the language it is written in. */
export interface MessageContext {
  speech: Speech;
  why: MessageReason;
  /** The claim link, or the page of the reward. */
  link: string;
  /** Where logos are served, without a slash at the end. */
  portalUrl: string;
  currency: string;
}

/** Marks the subject of TEST mails. */
export const subjectPrefix = (mode: Mode): string => (mode === 'TEST' ? '[TEST] ' : '');

/** The value of the points in money, as a sentence; empty where they have none, as in TEST. */
const worthWords = (
  { mode, points, liabilityCents }: Reward,
  { currency, speech: { text, money } }: MessageContext,
): string =>
  mode === 'TEST' || liabilityCents === 0
    ? ''
    : ` ${text('worth', { points, money: money(liabilityCents, currency) })}`;

const logoRoom = { width: 200, height: 48 };

/** A mail in the partner's colour and under its logo, where it has them. */
const lookOf = (branding: Branding | undefined, portalUrl: string) => ({
  ...(branding?.color && { accent: accentOf(branding.color) }),
  ...(branding?.logo && {
    logo: { url: portalUrl + logoPathOf(branding.logo), ...fitLogo(branding.logo, logoRoom) },
  }),
});

/** A customer's mail, in the look of their partner. */
export function customerMail(
  reward: Reward,
  partner: CustomersPartner,
  context: MessageContext,
  to: string,
): Mail {
  const { rewardId, mode, points, claimExpiresAt } = reward;
  const { name, supportEmail, branding } = partner;
  const { why, link, portalUrl, speech } = context;
  const { language, text, time } = speech;
  const merchant = nameInMessages(name);
  const said = catalogueKeyOf[why];
  const subject = `${subjectPrefix(mode)}${text(`${said}.subject`, { points, merchant })}`;
  const first = text(`${said}.text`, { points, merchant });
  const questions = supportEmail ? [text('mail.questions', { email: supportEmail })] : [];
  const spendUrl = spendLinkOf(partner);
  const replyTo = replyAddress(partner);
  return {
    ...{ id: idsOf[why].EMAIL(rewardId), to, subject, ...(replyTo && { replyTo }) },
    ...bodiesOf({
      ...{ house: merchant, subject, language },
      ...lookOf(branding, portalUrl),
      ...(why === 'TAKEN_BACK'
        ? { paragraphs: [first, text('takenBack.spent')], notes: questions }
        : {
            paragraphs: [
              `${first}${worthWords(reward, context)}`,
              ...(branding?.spendText ? [branding.spendText] : []),
              text('claimBy', { time: time(new Date(claimExpiresAt)) }),
            ],
            link: { text: text('open.button', { points }), url: link },
            notes: [text('open.secret'), ...questions],
            ...(spendUrl && { more: [{ text: text('spend'), url: spendUrl }] }),
          }),
    }),
  };
}

/** The same as a text message. */
export function customerText(
  { rewardId, mode, points, claimExpiresAt }: Reward,
  { name, testPhone }: CustomersPartner & { testPhone?: { number: string } | null },
  { speech: { text, day }, why, link }: MessageContext,
  phone: string,
): TextMessage {
  const said =
    why === 'TAKEN_BACK'
      ? text('takenBack.sms', { points })
      : text('offer.sms', { points, day: day(new Date(claimExpiresAt)), link });
  return {
    channel: 'SMS',
    id: idsOf[why].SMS(rewardId),
    ...toPhone(mode, testPhone, phone),
    text: merchantText({ mode, merchant: nameInMessages(name), said }),
  };
}

/** In TEST, the verified test phone of the partner, if it has one. */
function toPhone(mode: Mode, testPhone: { number: string } | null | undefined, phone: string) {
  const own = testPhone?.number;
  if (mode === 'LIVE') return { to: phone };
  return { ...(!own && { staysInOutbox: true }), to: own ?? phone };
}

/** The link to a customer's points. */
export interface PointsMessage {
  mode: Mode;
  speech: Speech;
  link: string;
  portalUrl: string;
  /** Of the link. */
  endsAt: Date;
}

/** A mail with the link to a customer's points. */
export function pointsMail(partner: CustomersPartner, context: PointsMessage, to: string): Mail {
  const { name, supportEmail, branding } = partner;
  const { mode, link, portalUrl, endsAt, speech } = context;
  const { language, text, time } = speech;
  const merchant = nameInMessages(name);
  const subject = `${subjectPrefix(mode)}${text('points.title', { merchant })}`;
  const replyTo = replyAddress(partner);
  return {
    ...{ id: messageId(), to, subject, linkEndsAt: endsAt, ...(replyTo && { replyTo }) },
    ...bodiesOf({
      ...{ house: merchant, subject, language },
      ...lookOf(branding, portalUrl),
      paragraphs: [text('points.mail', { merchant }), text('points.until', { time: time(endsAt) })],
      link: { text: text('points.button'), url: link },
      notes: [
        text('points.secret'),
        ...(supportEmail ? [text('mail.questions', { email: supportEmail })] : []),
      ],
    }),
  };
}

/** The same as a text message. */
export function pointsText(
  { name, testPhone }: CustomersPartner & { testPhone?: { number: string } | null },
  { mode, speech: { text }, link, endsAt }: PointsMessage,
  phone: string,
): TextMessage {
  const said = text('points.sms', { link });
  return {
    channel: 'SMS',
    id: messageId(),
    linkEndsAt: endsAt,
    ...toPhone(mode, testPhone, phone),
    text: merchantText({ mode, merchant: nameInMessages(name), said }),
  };
}

/** Each is another message, whoever asks however often. */
const messageId = (): string => `points-${newId('message')}`;
