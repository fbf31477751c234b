import CircuitBreaker from 'opossum';
import type { Config } from '../platform/config.ts';
import { createMailer } from './mailer.ts';
import { isMail, type Message, type SendMessage, UnreachableError } from './message.ts';
import { createTexter } from './texter.ts';

/** Sends mails and text messages, each by what the configuration has for it, else into the outbox. */
export function createSendMessage({ mail, texts }: Pick<Config, 'mail' | 'texts'>): SendMessage {
  const sendMail = createMailer(mail);
  const sendText = createTexter({ ...texts, outboxDir: mail.outboxDir });
  return async (message) => (isMail(message) ? await sendMail(message) : await sendText(message));
}

/** How long a message may take that something else waits for. */
const promptTimeoutMs = 1_500;
/** How long whoever failed to carry a message is left alone. */
const breakerResetMs = 30_000;

/**
 * Sends messages that something waits for: each is given up soon, and refused at once while whoever
 * carries it fails, until it has had a rest. Mails and text messages have a breaker each.
 */
export function withShortTimeout(send: SendMessage): SendMessage {
  const breaker = () =>
    new CircuitBreaker(send, {
      timeout: promptTimeoutMs,
      resetTimeout: breakerResetMs,
      errorThresholdPercentage: 50,
      volumeThreshold: 3,
      // A recipient that cannot be reached says nothing about who carries.
      errorFilter: (error: unknown) => error instanceof UnreachableError,
    });
  const mails = breaker();
  const texts = breaker();
  return async (message: Message) => await (isMail(message) ? mails : texts).fire(message);
}
