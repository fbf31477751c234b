import { nameInMessages } from '../domain/merchant-names.ts';
import { utc } from '../domain/time-zones.ts';
import { sha256Hex } from '../platform/hashing.ts';
import { newId } from '../platform/ids.ts';
import { bodiesOf, type MailContent } from './mail-body.ts';
import type { Mail } from './message.ts';
import { speechOf } from './words/speech.ts';
import { tell } from './words/team-en.ts';

/** A mail with a token is named by its hash: the name of a file must not be a way in. */
const idOf = (kind: string, token: string): string => `${kind}-${sha256Hex(token).slice(0, 16)}`;

/** @param at milliseconds since the epoch */
const timeOf = (at: number): string => speechOf('en', utc).time(new Date(at));

/** A way in that is sent by mail. */
interface WayIn {
  token: string;
  linkEndsAt: Date;
}

/** A mail in which the portal speaks, to somebody who signs in or who answers for a partner. */
export const portalMail = <Head extends { subject: string }>(
  head: Head,
  content: Omit<MailContent, 'house' | 'subject'>,
): Head & ReturnType<typeof bodiesOf> => ({
  ...head,
  ...bodiesOf({ house: tell('team.house'), subject: head.subject, ...content }),
});

/** The way in that somebody asked for. */
export function signInMail(portalUrl: string, to: string, { token, linkEndsAt }: WayIn): Mail {
  const head = { id: idOf('sign-in', token), to, linkEndsAt, subject: tell('signIn.subject') };
  return portalMail(head, {
    paragraphs: [tell('signIn.text')],
    link: { text: tell('signIn.button'), url: `${portalUrl}/sign-in/link/${token}` },
    notes: [tell('signIn.ignore')],
  });
}

/** The code by which somebody who is signed in proves that they read their email. */
export function emailCodeMail(
  to: string,
  { code, codeMinutes }: { code: string; codeMinutes: number },
): Mail {
  const head = {
    id: `email-code-${newId('request')}`,
    to,
    subject: tell('emailCode.subject'),
  };
  return portalMail(head, {
    paragraphs: [tell('emailCode.text', { minutes: codeMinutes }), code, tell('emailCode.notYou')],
  });
}

/** An invitation to the users of a partner. */
export function invitationMail(
  portalUrl: string,
  { to, partnerName, role }: { to: string; partnerName: string; role: string },
  { token, linkEndsAt }: WayIn,
): Mail {
  const head = {
    id: idOf('invitation', token),
    to,
    linkEndsAt,
    subject: tell('invitation.subject', { partner: nameInMessages(partnerName) }),
  };
  return portalMail(head, {
    paragraphs: [
      tell('invitation.text', { partner: nameInMessages(partnerName), role }),
      tell('invitation.next'),
    ],
    link: { text: tell('invitation.button'), url: `${portalUrl}/invitations/${token}` },
  });
}

/**
 * Tells somebody that their second factor was taken away: if nobody asked for it, somebody else is at
 * work.
 * @param at milliseconds since the epoch
 */
export function factorResetMail(
  portalUrl: string,
  to: string,
  { userId, at }: { userId: string; at: number },
): Mail {
  const head = {
    id: idOf('second-factor-reset', `${userId} ${at}`),
    to,
    subject: tell('factorReset.subject'),
  };
  return portalMail(head, {
    paragraphs: [tell('factorReset.text', { time: timeOf(at) })],
    link: { text: tell('factorReset.button'), url: `${portalUrl}/second-factor/enroll` },
    notes: [tell('factorReset.notYou')],
  });
}

/**
 * Tells somebody what was changed about their account.
 * @param at milliseconds since the epoch
 */
export function accountChangeMail(
  portalUrl: string,
  to: string,
  { userId, what, at }: { userId: string; what: string; at: number },
): Mail {
  const head = {
    id: idOf('account-change', `${userId} ${what} ${at}`),
    to,
    subject: tell('accountChange.subject'),
  };
  return portalMail(head, {
    paragraphs: [tell('accountChange.text', { what, time: timeOf(at) })],
    link: { text: tell('team.viewAccount'), url: `${portalUrl}/account` },
    notes: [tell('team.ifNotYou')],
  });
}

/**
 * Tells somebody that they signed in with a browser that is new.
 * @param at milliseconds since the epoch
 */
export function newDeviceMail(
  portalUrl: string,
  to: string,
  {
    userId,
    browser,
    address,
    at,
  }: { userId: string; browser: string; address: string; at: number },
): Mail {
  const head = {
    id: idOf('new-device', `${userId} ${at}`),
    to,
    subject: tell('newDevice.subject'),
  };
  return portalMail(head, {
    paragraphs: [
      tell('newDevice.text'),
      tell('newDevice.where', {
        browser: oneLine(browser),
        address: address || tell('newDevice.unknownAddress'),
        time: timeOf(at),
      }),
      tell('newDevice.next'),
    ],
    link: { text: tell('team.viewAccount'), url: `${portalUrl}/account` },
    more: [{ text: tell('team.chooseNotices'), url: `${portalUrl}/account/notices` }],
  });
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ');

/** The code that verifies a partner's contact address. Nothing in it is the partner's own text. */
export function contactCodeMail(
  to: string,
  { code, codeMinutes }: { code: string; codeMinutes: number },
): Mail {
  const head = {
    id: `contact-email-${newId('request')}`,
    to,
    subject: tell('contactCode.subject'),
  };
  return portalMail(head, {
    paragraphs: [
      tell('contactCode.text', { minutes: codeMinutes }),
      code,
      tell('contactCode.ignore'),
    ],
  });
}
