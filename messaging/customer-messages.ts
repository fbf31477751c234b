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

/** What a customer is told of a reward. */
export type Why = 'OFFER' | 'REMINDER' | 'TAKEN_BACK';

/** How its messages begin in the catalogue. */
const saidOf = { OFFER: 'offer', REMINDER: 'reminder', TAKEN_BACK: 'takenBack' } as const;

/** By what a message is known, so that it is sent once. */
const idsOf: Record<Why, Record<Channel, (rewardId: string) => string>> = {
  OFFER: { EMAIL: (id) => id, SMS: (id) => `text-${id}` },
  REMINDER: { EMAIL: (id) => `reminder-${id}`, SMS: (id) => `reminder-${id}` },
  TAKEN_BACK: { EMAIL: (id) => `taken-back-${id}`, SMS: (id) => `taken-back-${id}` },
};

type Reward = Pick<
  RewardSnapshot,
  'rewardId' | 'mode' | 'points' | 'liabilityCents' | 'claimExpiresAt'
>;

/** Of a partner, what its customers are told. */
interface Merchant {
  name: string;
  website: string | null;
  supportEmail: string | null;
  contactEmail: string | null;
  verifiedContactEmail?: string | null;
  verifiedSupportEmail?: string | null;
  branding?: Branding;
}

/** What is told, in which language. */
export interface Told {
  speech: Speech;
  why: Why;
  /** That claims. */
  link: string;
  /** Where logos are served, without a slash at the end. */
  portalUrl: string;
  currency: string;
}

/** What a subject begins with, so that nobody takes a TEST mail for a real one. */
export const marked = (mode: Mode): string => (mode === 'TEST' ? '[TEST] ' : '');

/** What points are worth in money, as a sentence; nothing of points that are worth none, as those of TEST. */
const worthWords = (
  { mode, points, liabilityCents }: Reward,
  { currency, speech: { text, money } }: Told,
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
export function customerMail(reward: Reward, partner: Merchant, told: Told, to: string): Mail {
  const { rewardId, mode, points, claimExpiresAt } = reward;
  const { name, supportEmail, branding } = partner;
  const { why, link, portalUrl, speech } = told;
  const { language, text, time } = speech;
  const merchant = nameInMessages(name);
  const said = saidOf[why];
  const subject = `${marked(mode)}${text(`${said}.subject`, { points, merchant })}`;
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
              `${first}${worthWords(reward, told)}`,
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
  { name, testPhone }: Merchant & { testPhone?: { number: string } | null },
  { speech: { text, day }, why, link }: Told,
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

/** In TEST to the partner's own phone, where it has one that answered. */
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
export function pointsMail(partner: Merchant, told: PointsMessage, to: string): Mail {
  const { name, supportEmail, branding } = partner;
  const { mode, link, portalUrl, endsAt, speech } = told;
  const { language, text, time } = speech;
  const merchant = nameInMessages(name);
  const subject = `${marked(mode)}${text('points.title', { merchant })}`;
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
  { name, testPhone }: Merchant & { testPhone?: { number: string } | null },
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
