import {
  accentOf,
  type Branding,
  fitLogo,
  logoPathOf,
  nameInMessages,
  spendLinkOf,
} from '../domain/branding.ts';
import { replyAddress } from '../domain/customer.ts';
import { type Channel, type MessageReason, merchantText } from '../domain/messages.ts';
import type { Mode } from '../domain/mode.ts';
import type { RewardSnapshot } from '../domain/reward.ts';
import { newId } from '../platform/ids.ts';
import { bodiesOf } from './mailer.ts';
import type { Mail, TextMessage } from './message.ts';
import type { Localizer } from './words/localizer.ts';

/** The prefix of the texts' keys. */
const catalogueKeyOf = {
  ON_HOLD: 'onHold',
  OFFER: 'offer',
  REMINDER: 'reminder',
  TAKEN_BACK: 'takenBack',
  CORRECTED: 'corrected',
} as const;

/** The ids of the messages. Each is sent once per reward and claim link, or per review that took something back. */
const idsOf: Record<MessageReason, Record<Channel, (id: string) => string>> = {
  ON_HOLD: { EMAIL: (id) => `on-hold-${id}`, SMS: (id) => `on-hold-${id}` },
  OFFER: { EMAIL: (id) => id, SMS: (id) => `text-${id}` },
  REMINDER: { EMAIL: (id) => `reminder-${id}`, SMS: (id) => `reminder-${id}` },
  TAKEN_BACK: { EMAIL: (id) => `taken-back-${id}`, SMS: (id) => `taken-back-${id}` },
  CORRECTED: { EMAIL: (id) => `corrected-${id}`, SMS: (id) => `corrected-${id}` },
};

type Reward = Pick<
  RewardSnapshot,
  'rewardId' | 'mode' | 'externalOrderId' | 'points' | 'liabilityCents' | 'claimExpiresAt'
> &
  Partial<Pick<RewardSnapshot, 'state' | 'review' | 'takenBackPoints' | 'claimableFrom'>> & {
    /** How often the claim link was sent anew, with the first. */
    offers?: number;
    /** The message's own id, if the same link is sent again. */
    again?: string;
  };

const isAboutClaim = (reason: MessageReason): boolean =>
  reason === 'ON_HOLD' || reason === 'OFFER' || reason === 'REMINDER';

/** When the hold of a reward ends. */
const claimableFrom = (reward: Pick<Reward, 'claimableFrom'>): Date =>
  new Date(reward.claimableFrom ?? '');

/** The points that a message is about. */
const pointsIn = ({ points, takenBackPoints }: Reward, reason: MessageReason): number =>
  reason === 'TAKEN_BACK' ? (takenBackPoints ?? points) : points;

/** The words of a message about points that were taken back: some of them, or all. */
const takenBackKey = ({ state }: Reward) => (state === 'AVAILABLE' ? 'takenBackPart' : 'takenBack');

const idIn = ({ rewardId, review, offers = 1, again }: Reward, reason: MessageReason): string => {
  if (again !== undefined) return again;
  if (reason === 'TAKEN_BACK') return review?.reviewId ?? rewardId;
  return offers === 1 || reason === 'CORRECTED' ? rewardId : `${rewardId}-${offers}`;
};

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

/** The occasion, language and link of a message. */
export interface MessageContext {
  localizer: Localizer;
  reason: MessageReason;
  /** The claim link. */
  link: string;
  /** The base URL of logos, without a trailing slash. */
  portalUrl: string;
  currency: string;
}

/** The prefix of the subject of TEST emails. */
export const subjectPrefix = (mode: Mode): string => (mode === 'TEST' ? '[TEST] ' : '');

/** A sentence with the value of the points in money; empty if they have none, as in TEST. */
const worthWords = (
  { mode, points, liabilityCents }: Reward,
  { currency, localizer: { text, money } }: MessageContext,
): string =>
  mode === 'TEST' || liabilityCents === 0
    ? ''
    : ` ${text('worth', { points, money: money(liabilityCents, currency) })}`;

const logoBox = { width: 200, height: 48 };

/** The partner's colour and logo, if it chose any. */
const lookOf = (branding: Branding | undefined, portalUrl: string) => ({
  ...(branding?.color && { accent: accentOf(branding.color) }),
  ...(branding?.logo && {
    logo: { url: portalUrl + logoPathOf(branding.logo), ...fitLogo(branding.logo, logoBox) },
  }),
});

type Letter = Parameters<typeof bodiesOf>[0];

/** What every email in a partner's name has: the sender, the look, and last of the notes where to ask. */
function inTheNameOf(
  partner: CustomersPartner,
  { mode, localizer, portalUrl }: { mode: Mode; localizer: Localizer; portalUrl: string },
  {
    subject: about,
    notes = [],
    ...content
  }: Pick<Letter, 'subject' | 'figure' | 'paragraphs' | 'link' | 'more' | 'notes'>,
): Omit<Mail, 'id' | 'to'> {
  const { name, supportEmail, branding } = partner;
  const { language, text } = localizer;
  const subject = `${subjectPrefix(mode)}${about}`;
  const replyTo = replyAddress(partner);
  const questions = supportEmail ? [text('mail.questions', { email: supportEmail })] : [];
  return {
    subject,
    senderName: nameInMessages(name),
    ...(replyTo && { replyTo }),
    ...bodiesOf({
      sender: nameInMessages(name),
      subject,
      language,
      ...lookOf(branding, portalUrl),
      ...content,
      notes: [...notes, ...questions],
    }),
  };
}

/** An email to a customer about a reward, with the partner's branding. */
export function customerMail(
  reward: Reward,
  partner: CustomersPartner,
  context: MessageContext,
  to: string,
): Mail {
  const points = pointsIn(reward, context.reason);
  const { name, branding } = partner;
  const { reason, link, localizer } = context;
  const { text, time, number } = localizer;
  const merchant = nameInMessages(name);
  const key = catalogueKeyOf[reason];
  const first =
    reason === 'TAKEN_BACK'
      ? text(`${takenBackKey(reward)}.text`, { points, merchant, left: reward.points })
      : text(`${reason === 'ON_HOLD' ? 'offer' : catalogueKeyOf[reason]}.text`, {
          points,
          merchant,
        });
  const spendUrl = spendLinkOf(partner);
  return {
    id: idsOf[reason].EMAIL(idIn(reward, reason)),
    to,
    ...inTheNameOf(
      partner,
      { ...context, mode: reward.mode },
      {
        subject: text(`${key}.subject`, { points, merchant }),
        ...(!isAboutClaim(reason)
          ? { paragraphs: reason === 'CORRECTED' ? [first] : [first, text('takenBack.spent')] }
          : {
              figure: {
                number: number(points),
                unit: text('offer.unit', { points }),
                below: text('offer.order', { order: nameInMessages(reward.externalOrderId) }),
              },
              paragraphs: [
                `${first}${worthWords(reward, context)}`,
                ...(branding?.spendText ? [branding.spendText] : []),
                reason === 'ON_HOLD'
                  ? text('onHold.from', { points, time: time(claimableFrom(reward)) })
                  : text('claimBy', { time: time(new Date(reward.claimExpiresAt)) }),
              ],
              ...(reason !== 'ON_HOLD' && {
                link: { text: text('open.button', { points }), url: link },
                notes: [text('open.secret')],
              }),
              ...(spendUrl && { more: [{ text: text('spend'), url: spendUrl }] }),
            }),
      },
    ),
  };
}

/** A text message to a customer about a reward. */
export function customerText(
  reward: Reward,
  { name }: CustomersPartner,
  { localizer: { text, day }, reason, link }: MessageContext,
  phone: string,
): TextMessage {
  const { mode, claimExpiresAt } = reward;
  const points = pointsIn(reward, reason);
  const saidOf: Record<MessageReason, () => string> = {
    ON_HOLD: () => text('onHold.sms', { points, day: day(claimableFrom(reward)) }),
    OFFER: () => text('offer.sms', { points, day: day(new Date(claimExpiresAt)), link }),
    REMINDER: () => text('offer.sms', { points, day: day(new Date(claimExpiresAt)), link }),
    TAKEN_BACK: () => text(`${takenBackKey(reward)}.sms`, { points }),
    CORRECTED: () => text('corrected.sms'),
  };
  return {
    channel: 'SMS',
    id: idsOf[reason].SMS(idIn(reward, reason)),
    ...toPhone(mode, phone),
    text: merchantText({ mode, merchant: nameInMessages(name), said: saidOf[reason]() }),
  };
}

/** In TEST, text messages stay in the message folder: the number may be a stranger's. */
const toPhone = (mode: Mode, to: string): Pick<TextMessage, 'to' | 'staysInFolder'> =>
  mode === 'LIVE' ? { to } : { to, staysInFolder: true };

/** The link to a customer's points. */
export interface PointsMessage {
  /** The same for every attempt; absent for one that is not repeated. */
  id?: string | undefined;
  mode: Mode;
  localizer: Localizer;
  link: string;
  portalUrl: string;
  /** When the link expires. */
  endsAt: Date;
}

/** An email with the link to a customer's points. */
export function pointsMail(partner: CustomersPartner, context: PointsMessage, to: string): Mail {
  const { link, endsAt, localizer } = context;
  const { text, time } = localizer;
  const merchant = nameInMessages(partner.name);
  return {
    id: pointsId(context),
    to,
    linkEndsAt: endsAt,
    ...inTheNameOf(partner, context, {
      subject: text('points.title', { merchant }),
      paragraphs: [text('points.mail', { merchant }), text('points.until', { time: time(endsAt) })],
      link: { text: text('points.button'), url: link },
      notes: [text('points.secret')],
    }),
  };
}

/** A text message with the link to a customer's points. */
export function pointsText(
  { name }: CustomersPartner,
  context: PointsMessage,
  phone: string,
): TextMessage {
  const { mode, link, endsAt } = context;
  const { text } = context.localizer;
  const said = text('points.sms', { link });
  return {
    channel: 'SMS',
    id: pointsId(context),
    linkEndsAt: endsAt,
    ...toPhone(mode, phone),
    text: merchantText({ mode, merchant: nameInMessages(name), said }),
  };
}

/** What a customer is told of a redemption. */
export interface Redeemed {
  redemptionId: string;
  mode: Mode;
  points: number;
  amountCents: number;
  currency: string;
  /** The points that are left. */
  leftPoints: number;
}

/** An email that tells a customer that points were redeemed. */
export function redemptionMail(
  redeemed: Redeemed,
  partner: CustomersPartner,
  { localizer, portalUrl }: Pick<MessageContext, 'localizer' | 'portalUrl'>,
  to: string,
): Mail {
  const { redemptionId, mode, points, amountCents, currency, leftPoints } = redeemed;
  const { text, money } = localizer;
  const merchant = nameInMessages(partner.name);
  return {
    id: `redeemed-${redemptionId}`,
    to,
    ...inTheNameOf(
      partner,
      { mode, localizer, portalUrl },
      {
        subject: text('redeemed.subject', { points, merchant }),
        paragraphs: [
          text('redeemed.text', { points, merchant, money: money(amountCents, currency) }),
          text('redeemed.left', { points: leftPoints }),
        ],
        notes: [text('redeemed.notYou', { merchant })],
      },
    ),
  };
}

/** A text message that tells a customer that points were redeemed. */
export function redemptionText(
  { redemptionId, mode, points, amountCents, currency }: Redeemed,
  { name }: CustomersPartner,
  { text, money }: Localizer,
  phone: string,
): TextMessage {
  const said = text('redeemed.sms', { points, money: money(amountCents, currency) });
  return {
    channel: 'SMS',
    id: `redeemed-${redemptionId}`,
    ...toPhone(mode, phone),
    text: merchantText({ mode, merchant: nameInMessages(name), said }),
  };
}

/** What a customer is told of points that end. */
export interface EndingPoints {
  /** The same for every attempt. */
  id: string;
  mode: Mode;
  localizer: Localizer;
  /** The link to their points, and when it expires. */
  link: string;
  linkEndsAt: Date;
  portalUrl: string;
  points: number;
  /** When they end. */
  endsAt: Date;
}

/** An email that tells a customer when points end. */
export function endingMail(partner: CustomersPartner, ending: EndingPoints, to: string): Mail {
  const { id, link, linkEndsAt, points, endsAt, localizer } = ending;
  const { text, time, date } = localizer;
  const merchant = nameInMessages(partner.name);
  const said = { points, merchant, date: date(endsAt) };
  const spendUrl = spendLinkOf(partner);
  return {
    id,
    to,
    linkEndsAt,
    ...inTheNameOf(partner, ending, {
      subject: text('ending.subject', said),
      paragraphs: [
        text('ending.text', said),
        text('ending.renew'),
        text('points.until', { time: time(linkEndsAt) }),
      ],
      link: { text: text('points.button'), url: link },
      ...(spendUrl && { more: [{ text: text('spend'), url: spendUrl }] }),
      notes: [text('ending.secret')],
    }),
  };
}

/** A text message that tells a customer when points end. */
export function endingText(
  { name }: CustomersPartner,
  { id, mode, link, linkEndsAt, points, endsAt, localizer: { text, day } }: EndingPoints,
  phone: string,
): TextMessage {
  const said = text('ending.sms', { points, date: day(endsAt), link });
  return {
    channel: 'SMS',
    id,
    linkEndsAt,
    ...toPhone(mode, phone),
    text: merchantText({ mode, merchant: nameInMessages(name), said }),
  };
}

/** Every request sends a new message. */
const pointsId = ({ id = newId('message') }: PointsMessage): string => `points-${id}`;
