import { sha256Hex } from './hashing.ts';
import type { Mail } from './mailer.ts';

/** A mail with a token is named by its hash: the name of a file must not be a way in. */
const idOf = (kind: string, token: string): string => `${kind}-${sha256Hex(token).slice(0, 16)}`;

/** The way in that somebody asked for. */
export function signInMail(portalUrl: string, to: string, token: string): Mail {
  return {
    id: idOf('sign-in', token),
    to,
    subject: 'Your link to sign in',
    text: `Sign in to the partner portal with this link. It works once, within 15 minutes:

${portalUrl}/sign-in/link/${token}

If you did not ask for it, nothing has happened: ignore this mail.
`,
  };
}

/** An invitation to the users of a partner. */
export function invitationMail(
  portalUrl: string,
  { to, partnerName, role }: { to: string; partnerName: string; role: string },
  token: string,
): Mail {
  return {
    id: idOf('invitation', token),
    to,
    subject: `You are invited to ${oneLine(partnerName)}`,
    text: `You are invited to the partner portal, as ${role} of ${oneLine(partnerName)}.
Set your name and password here, within a week:

${portalUrl}/invitations/${token}
`,
  };
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ');
