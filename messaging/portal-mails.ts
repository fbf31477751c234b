import { nameInMessages } from '../domain/merchant-names.ts';
import { utc } from '../domain/time-zones.ts';
import { sha256Hex } from '../platform/hashing.ts';
import { newId } from '../platform/ids.ts';
import { bodiesOf, type MailContent } from './mail-body.ts';
import type { Mail } from './message.ts';
import { speechOf } from './words/speech.ts';
import { teamText } from './words/team-en.ts';

/** A mail with a token is named by its hash: the name of a file must not be a way in. */
const idOf = (kind: string, token: string): string => `${kind}-${sha256Hex(token).slice(0, 16)}`;

/** @param at milliseconds since the epoch */
const timeOf = (at: number): string => speechOf('en', utc).time(new Date(at));

/** A way in that is sent by mail. */
interface LoginLink {
  token: string;
  linkEndsAt: Date;
}

/** A mail in which the portal speaks, to somebody who signs in or who answers for a partner. */
export const portalMail = <Head extends { subject: string }>(
  head: Head,
  content: Omit<MailContent, 'house' | 'subject'>,
): Head & ReturnType<typeof bodiesOf> => ({
  ...head,
  ...bodiesOf({ house: teamText('team.house'), subject: head.subject, ...content }),
});

/** The way in that somebody asked for. */
export function signInMail(portalUrl: string, to: string, { token, linkEndsAt }: LoginLink): Mail {
  const head = { id: idOf('sign-in', token), to, linkEndsAt, subject: teamText('signIn.subject') };
  return portalMail(head, {
    paragraphs: [teamText('signIn.text')],
    link: { text: teamText('signIn.button'), url: `${portalUrl}/sign-in/link/${token}` },
    notes: [teamText('signIn.ignore')],
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
    subject: teamText('emailCode.subject'),
  };
  return portalMail(head, {
    paragraphs: [
      teamText('emailCode.text', { minutes: codeMinutes }),
      code,
      teamText('emailCode.notYou'),
    ],
  });
}

/** An invitation to the users of a partner. */
export function invitationMail(
  portalUrl: string,
  { to, partnerName, role }: { to: string; partnerName: string; role: string },
  { token, linkEndsAt }: LoginLink,
): Mail {
  const head = {
    id: idOf('invitation', token),
    to,
    linkEndsAt,
    subject: teamText('invitation.subject', { partner: nameInMessages(partnerName) }),
  };
  return portalMail(head, {
    paragraphs: [
      teamText('invitation.text', { partner: nameInMessages(partnerName), role }),
      teamText('invitation.next'),
    ],
    link: { text: teamText('invitation.button'), url: `${portalUrl}/invitations/${token}` },
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
    subject: teamText('factorReset.subject'),
  };
  return portalMail(head, {
    paragraphs: [teamText('factorReset.text', { time: timeOf(at) })],
    link: { text: teamText('factorReset.button'), url: `${portalUrl}/second-factor/enroll` },
    notes: [teamText('factorReset.notYou')],
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
    subject: teamText('accountChange.subject'),
  };
  return portalMail(head, {
    paragraphs: [teamText('accountChange.text', { what, time: timeOf(at) })],
    link: { text: teamText('team.viewAccount'), url: `${portalUrl}/account` },
    notes: [teamText('team.ifNotYou')],
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
    subject: teamText('newDevice.subject'),
  };
  return portalMail(head, {
    paragraphs: [
      teamText('newDevice.text'),
      teamText('newDevice.where', {
        browser: oneLine(browser),
        address: address || teamText('newDevice.unknownAddress'),
        time: timeOf(at),
      }),
      teamText('newDevice.next'),
    ],
    link: { text: teamText('team.viewAccount'), url: `${portalUrl}/account` },
    more: [{ text: teamText('team.chooseNotices'), url: `${portalUrl}/account/notices` }],
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
    subject: teamText('contactCode.subject'),
  };
  return portalMail(head, {
    paragraphs: [
      teamText('contactCode.text', { minutes: codeMinutes }),
      code,
      teamText('contactCode.ignore'),
    ],
  });
}
