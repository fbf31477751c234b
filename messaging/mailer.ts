import { createTransport } from 'nodemailer';
import type { Config } from '../platform/config.ts';
import type { Mail } from './message.ts';
import { writeToOutbox } from './outbox.ts';

/** The timeout for each step of the SMTP exchange. */
const smtpTimeoutMs = 10_000;

/**
 * Sends emails over SMTP. Without an `SMTP_URL`, and for messages that stay in the outbox, it writes
 * readable `.eml` files to the outbox folder.
 * @throws Error with the server's codes, never with the recipient, because an activity's failure is
 *   stored in the workflow's history
 */
export function createMailer({
  smtpUrl,
  from,
  outboxDir,
}: Config['mail']): (mail: Mail) => Promise<void> {
  const outbox = createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
  const smtp =
    smtpUrl &&
    createTransport(smtpUrl, {
      connectionTimeout: smtpTimeoutMs,
      greetingTimeout: smtpTimeoutMs,
      socketTimeout: smtpTimeoutMs,
    } as object);
  return async ({ id, dataKeyId = null, linkEndsAt, staysInOutbox = false, ...mail }) => {
    const { to, subject, replyTo, text, html } = mail;
    const message = { from, messageId: `<${id}@rewards>`, to, subject, replyTo, text, html };
    try {
      if (smtp && !staysInOutbox) await smtp.sendMail(message);
      else {
        const written = (await outbox.sendMail(message)).message as Buffer;
        const copy = { id, dataKeyId, ...(linkEndsAt && { linkEndsAt }), kind: 'eml' } as const;
        await writeToOutbox(outboxDir, copy, written);
      }
    } catch (error) {
      const { code, responseCode } = error as { code?: string; responseCode?: number };
      throw new Error(`mail ${id} was not sent: ${code ?? 'unknown'} ${responseCode ?? ''}`.trim());
    }
  };
}
