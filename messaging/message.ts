/** What every message has, whatever carries it. */
interface Outgoing {
  /** Names the message: sending it twice overwrites the file, and carries one id to whoever carries it. */
  id: string;
  to: string;
  text: string;
  /** Of a customer's message: the data key of its contact. A copy in the outbox goes with that key. */
  dataKeyId?: string;
  /** When the link in it ends. A copy in the outbox goes then: until then it is a way in. */
  linkEndsAt?: Date;
  /** Written to the outbox even where there is somebody to carry it. */
  staysInOutbox?: boolean;
}

export interface Mail extends Outgoing {
  channel?: 'EMAIL';
  subject: string;
  /** Where an answer goes, if not to whoever sends it. */
  replyTo?: string;
  /** The same as the text, for programs that show it; see `mail-body.ts`. */
  html: string;
}

export interface TextMessage extends Outgoing {
  channel: 'SMS';
}

export type Message = Mail | TextMessage;

/**
 * Sends a message by its channel.
 * @throws Error that names the step and the carrier's code, never the recipient, since an activity's
 *   failure stands in the workflow's history
 * @throws UnreachableError where trying again would change nothing
 */
export type SendMessage = (message: Message) => Promise<void>;

/** Whoever carries the message knows that it cannot reach this recipient. */
export class UnreachableError extends Error {
  override name = 'UnreachableError';
}

export const isMail = (message: Message): message is Mail => message.channel !== 'SMS';
