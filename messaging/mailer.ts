import { createTransport } from 'nodemailer';
import CircuitBreaker from 'opossum';
import type { Config } from '../platform/config.ts';
import { writeToOutbox } from './outbox.ts';

export interface Mail {
  /** Names the message: sending it twice overwrites the file, and carries one Message-ID. */
  id: string;
  to: string;
  subject: string;
  text: string;
  /** Of a customer's mail: the data key of its contact. A copy in the outbox goes with that key. */
  dataKeyId?: string;
  /** Written to the outbox even where there is a mail server. */
  staysInOutbox?: boolean;
}

export type SendMail = (mail: Mail) => Promise<void>;

/** Longest wait for the mail server, at each step of the exchange. */
const smtpTimeoutMs = 10_000;

/**
 * Sends over SMTP where there is an `SMTP_URL`, and the mail may leave the house; else writes readable
 * `.eml` files into the outbox folder.
 * @throws Error that names the step and the server's code, never the recipient, since an activity's
 *   failure stands in the workflow's history
 */
export function createMailer({ smtpUrl, from, outboxDir }: Config['mail']): SendMail {
  const outbox = createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
  const smtp =
    smtpUrl &&
    createTransport(smtpUrl, {
      connectionTimeout: smtpTimeoutMs,
      greetingTimeout: smtpTimeoutMs,
      socketTimeout: smtpTimeoutMs,
    } as object);
  return async ({ id, dataKeyId = null, staysInOutbox = false, ...mail }) => {
    const message = { from, messageId: `<${id}@rewards>`, ...mail };
    try {
      if (smtp && !staysInOutbox) await smtp.sendMail(message);
      else {
        const written = (await outbox.sendMail(message)).message as Buffer;
        await writeToOutbox(outboxDir, { id, dataKeyId }, written);
      }
    } catch (error) {
      const { code, responseCode } = error as { code?: string; responseCode?: number };
      throw new Error(`mail ${id} was not sent: ${code ?? 'unknown'} ${responseCode ?? ''}`.trim());
    }
  };
}

/** How long a mail may take that something else waits for. */
const atOnceMs = 1_500;
/** How long a mail server that failed is left alone. */
const restMs = 30_000;

/**
 * Sends mails that something waits for: each is given up soon, and refused at once while the mail
 * server fails, until it has had a rest.
 */
export function sendingAtOnce(sendMail: SendMail): SendMail {
  const breaker = new CircuitBreaker(sendMail, {
    timeout: atOnceMs,
    resetTimeout: restMs,
    errorThresholdPercentage: 50,
    volumeThreshold: 3,
  });
  return async (mail) => await breaker.fire(mail);
}
