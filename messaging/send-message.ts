import CircuitBreaker from 'opossum';
import type { Config } from '../platform/config.ts';
import { createMailer } from './mailer.ts';
import { isMail, type Message, type SendMessage, UnreachableError } from './message.ts';
import { createTexter } from './texts.ts';

/** Sends emails and text messages as configured; without a mail server or gateway, into the message folder. */
export function createSendMessage({ mail, texts }: Pick<Config, 'mail' | 'texts'>): SendMessage {
  const sendMail = createMailer(mail);
  const sendText = createTexter({ ...texts, messageDir: mail.messageDir });
  return async (message) => (isMail(message) ? await sendMail(message) : await sendText(message));
}

/** The timeout of messages that something else waits for. */
const shortTimeoutMs = 1_500;
/** How long the circuit breaker stays open after failures. */
const breakerResetMs = 30_000;

/**
 * Sends messages that something else waits for: with a short timeout, and behind a circuit breaker that
 * refuses them at once while the mail server or gateway fails. Each channel has its own breaker.
 */
export function withShortTimeout(send: SendMessage): SendMessage {
  const breaker = () =>
    new CircuitBreaker(send, {
      timeout: shortTimeoutMs,
      resetTimeout: breakerResetMs,
      errorThresholdPercentage: 50,
      volumeThreshold: 3,
      // An unreachable recipient is not a failure of the mail server or gateway.
      errorFilter: (error: unknown) => error instanceof UnreachableError,
    });
  const mails = breaker();
  const texts = breaker();
  return async (message: Message) => await (isMail(message) ? mails : texts).fire(message);
}
