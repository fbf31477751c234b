import { html } from 'hono/html';
import { createTransport } from 'nodemailer';
import { type Accent, accentOf } from '../domain/branding.ts';
import { defaultLanguage, type Language } from '../domain/languages.ts';
import type { Config } from '../platform/config.ts';
import type { Mail } from './message.ts';
import { writeToFolder } from './message-folder.ts';

/** The timeout for each step of the SMTP exchange. */
const smtpTimeoutMs = 10_000;

/**
 * Sends emails over SMTP. Without an `SMTP_URL`, and for messages that stay in the message folder, it writes
 * readable `.eml` files to the message folder.
 * @throws Error with the server's codes, never with the recipient, because an activity's failure is
 *   stored in the workflow's history
 */
export function createMailer({
  smtpUrl,
  from,
  messageDir,
}: Config['mail']): (mail: Mail) => Promise<void> {
  // A Message-ID from elsewhere than the sender's domain looks like spam.
  const address = addressOf(from);
  const domain = address.slice(address.lastIndexOf('@') + 1);
  const writer = createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
  const smtp =
    smtpUrl &&
    createTransport(smtpUrl, {
      connectionTimeout: smtpTimeoutMs,
      greetingTimeout: smtpTimeoutMs,
      socketTimeout: smtpTimeoutMs,
    } as object);
  return async ({ id, purchaseEventId = null, linkEndsAt, staysInFolder = false, ...mail }) => {
    const { to, subject, senderName, replyTo, text, html } = mail;
    // As an object, so that nothing of a quoted address is read as another one.
    const message = {
      from: senderName === undefined ? from : { name: senderName, address },
      messageId: `<${id}@${domain}>`,
      to: { name: '', address: to },
      subject,
      replyTo,
      text,
      html,
      // Automatic replies of holiday-makers stay away (RFC 3834).
      headers: { 'Auto-Submitted': 'auto-generated' },
    };
    try {
      if (smtp && !staysInFolder) await smtp.sendMail(message);
      else {
        const written = (await writer.sendMail(message)).message as Buffer;
        const copy = {
          id,
          purchaseEventId,
          ...(linkEndsAt && { linkEndsAt }),
          kind: 'eml',
        } as const;
        await writeToFolder(messageDir, copy, written);
      }
    } catch (error) {
      const { code, responseCode } = error as { code?: string; responseCode?: number };
      throw new Error(`mail ${id} was not sent: ${code ?? 'unknown'} ${responseCode ?? ''}`.trim());
    }
  };
}

/** The address of a sender such as `Rewards <rewards@example.com>`. */
const addressOf = (from: string): string =>
  /([^\s<>@]+@[^\s<>@]+)>?\s*$/.exec(from)?.[1] ?? 'rewards@localhost';

/** The content of an email, from which both its text and its HTML are made. */
export interface MailContent {
  /** The name of the sender, shown at the top. */
  sender: string;
  subject: string;
  language?: Language;
  /** The colour of the button. */
  accent?: Accent;
  /** Replaces the sender's name, which becomes its alternative text. */
  logo?: { url: string; width: number; height: number };
  /** What it is about, in large type: a number, what it counts, and a line below. */
  figure?: { number: string; unit: string; below: string };
  paragraphs: readonly string[];
  /** The main link, shown as a button. */
  link?: { text: string; url: string };
  /** Small print below the link. */
  notes?: readonly string[];
  /** Plain links below the notes. */
  more?: readonly { text: string; url: string }[];
}

/**
 * The two bodies of an email. The HTML consists of tables and inline styles, which email programs
 * support: no scripts, no web fonts, and no image but a logo, whose URL is the same for all recipients
 * so that loading it reveals nothing. Its only style sheet is for dark mode; without it, the email is
 * shown in the light colours.
 */
export function bodiesOf(content: MailContent): { text: string; html: string } {
  return { text: textOf(content), html: htmlOf(content) };
}

function textOf({ figure, paragraphs, link, notes = [], more = [] }: MailContent): string {
  return [
    ...(figure ? [`${figure.number} ${figure.unit}\n${figure.below}`] : []),
    ...paragraphs,
    ...(link ? [`${link.text}:\n${link.url}`] : []),
    ...notes,
    ...(more.length > 0 ? [more.map(({ text, url }) => `${text}: ${url}`).join('\n')] : []),
    '',
  ].join('\n\n');
}

const font = 'Arial, Helvetica, sans-serif';
const ink = '#1c1c28';
const muted = '#5a5a6e';
const defaultAccent = accentOf('#4f46e5');

const darkSheet = `@media (prefers-color-scheme: dark) {
.ground { background-color: #15161f !important; }
.card { background-color: #1f202c !important; border-color: #34364a !important; }
.ink, .ink a { color: #ececf3 !important; }
.muted { color: #b0b0c3 !important; }
.logo { background-color: #ffffff !important; padding: 6px 10px !important; border-radius: 6px !important; }
}`;

/** The card's `max-width` fits phones. Outlook ignores it and takes the width of the table around it. */
function htmlOf({
  sender,
  subject,
  language = defaultLanguage,
  accent = defaultAccent,
  logo,
  figure,
  paragraphs,
  link,
  notes = [],
  more = [],
}: MailContent): string {
  // A colour that needs white text is dark enough for links on a white card.
  const linkInk = accent.ink === '#ffffff' ? accent.color : ink;
  const paragraph = (text: string) =>
    html`<p class="ink" style="margin:0 0 14px;font-family:${font};font-size:16px;line-height:1.5;color:${ink}">${text}</p>`;
  const note = (text: string, below = 8) =>
    html`<p class="muted" style="margin:0 0 ${below}px;font-family:${font};font-size:13px;line-height:1.5;color:${muted}">${text}</p>`;
  const large = figure
    ? html`<p class="ink" style="margin:6px 0 2px;font-family:${font};font-size:44px;line-height:1.1;font-weight:bold;color:${ink}">${figure.number} <span style="font-size:20px">${figure.unit}</span></p>${note(figure.below, 18)}`
    : '';
  const button = link
    ? html`<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:8px 0 18px"><tr>
<td bgcolor="${accent.color}" style="border-radius:6px;background-color:${accent.color}"><a href="${link.url}" style="display:inline-block;padding:12px 22px;font-family:${font};font-size:16px;font-weight:bold;color:${accent.ink};text-decoration:none">${link.text}</a></td>
</tr></table>
<p class="muted" style="margin:0 0 14px;font-family:${font};font-size:13px;line-height:1.5;color:${muted};word-break:break-all">${link.url}</p>`
    : '';
  const heading = logo
    ? html`<img class="logo" src="${logo.url}" alt="${sender}" width="${logo.width}" height="${logo.height}" style="display:block;border:0;max-width:100%;height:auto;font-family:${font};font-size:18px;font-weight:bold;color:${ink}">`
    : sender;
  const moreLinks = more.map(
    ({ text, url }) =>
      html`<p class="ink" style="margin:0 0 8px;font-family:${font};font-size:13px;line-height:1.5"><a href="${url}" style="color:${linkInk}">${text}</a></p>`,
  );
  return String(html`<!doctype html>
<html lang="${language}"><head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">
<title>${subject}</title>
<style>${darkSheet}</style>
</head>
<body class="ground" style="margin:0;padding:0;background-color:#f4f4f7">
<table role="presentation" class="ground" width="100%" cellpadding="0" cellspacing="0" border="0" style="background-color:#f4f4f7"><tr><td align="center" style="padding:24px 12px">
<!--[if mso]><table role="presentation" width="560" cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]-->
<table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:560px;background-color:#ffffff;border:1px solid #e3e3ea;border-radius:8px">
<tr><td align="left" class="muted" style="padding:22px 24px 0;font-family:${font};font-size:14px;font-weight:bold;color:${muted}">${heading}</td></tr>
<tr><td align="left" style="padding:14px 24px 16px">${large}${paragraphs.map(paragraph)}${button}${notes.map((one) => note(one))}${moreLinks}</td></tr>
</table>
<!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body></html>
`);
}
