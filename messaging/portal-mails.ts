import { nameInMessages } from '../domain/merchant-names.ts';
import { utc } from '../domain/time-zones.ts';
import { sha256Hex } from '../platform/hashing.ts';
import { newId } from '../platform/ids.ts';
import { bodiesOf, type MailContent } from './mail-body.ts';
import type { Mail } from './message.ts';
import { localizerOf } from './words/localizer.ts';
import { teamText } from './words/team-en.ts';

/** Ids are file names in the outbox, so they contain the hash of the token instead of the token. */
const idOf = (kind: string, token: string): string => `${kind}-${sha256Hex(token).slice(0, 16)}`;

/** @param at milliseconds since the epoch */
const timeOf = (at: number): string => localizerOf('en', utc).time(new Date(at));

/** The token in a link that signs somebody in or accepts an invitation. */
interface LinkToken {
  token: string;
  linkEndsAt: Date;
}

/** An email from the portal, to one of its users or to a partner's contact. */
export const portalMail = <Head extends { subject: string }>(
  head: Head,
  content: Omit<MailContent, 'sender' | 'subject'>,
): Head & ReturnType<typeof bodiesOf> => ({
  ...head,
  ...bodiesOf({ sender: teamText('team.sender'), subject: head.subject, ...content }),
});

/** The sign-in link that a user requested. */
export function signInMail(portalUrl: string, to: string, { token, linkEndsAt }: LinkToken): Mail {
  const head = { id: idOf('sign-in', token), to, linkEndsAt, subject: teamText('signIn.subject') };
  return portalMail(head, {
    paragraphs: [teamText('signIn.text')],
    link: { text: teamText('signIn.button'), url: `${portalUrl}/sign-in/link/${token}` },
    notes: [teamText('signIn.ignore')],
  });
}

/** The code that proves that a signed-in user can read their email. */
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

/** An invitation to become a user of a partner. */
export function invitationMail(
  portalUrl: string,
  { to, partnerName, role }: { to: string; partnerName: string; role: string },
  { token, linkEndsAt }: LinkToken,
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
 * Notifies a user that their second factor was reset, so that they notice an attack.
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
 * Notifies a user of a change to their account.
 * @param what a sentence that describes the change
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
 * Notifies a user of a sign-in with a new browser.
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

/** The code that verifies a partner's contact address. It contains no text of the partner's. */
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
