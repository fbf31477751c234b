/** The fields of every message, whatever its channel. */
interface Outgoing {
  /** The same for every attempt: the message folder overwrites the file, and a gateway can recognize repeats. */
  id: string;
  to: string;
  text: string;
  /** The purchase whose contact it goes to. Erasing that also deletes the copy in the message folder. */
  purchaseEventId?: string;
  /** When the link in the message expires. The copy in the message folder is deleted then. */
  linkEndsAt?: Date;
  /** Whether it is only written to the message folder, even if a mail server or gateway is configured. */
  staysInFolder?: boolean;
}

export interface Mail extends Outgoing {
  channel?: 'EMAIL';
  subject: string;
  /** The name of the sender, if it is not the installation's; the address is. */
  senderName?: string;
  /** The address for replies, if it is not the sender's. */
  replyTo?: string;
  /** The same content as `text`; see `mail-body.ts`. */
  html: string;
}

export interface TextMessage extends Outgoing {
  channel: 'SMS';
}

export type Message = Mail | TextMessage;

/**
 * Sends a message through its channel.
 * @throws Error with the codes of the mail server or gateway, never with the recipient, because an
 *   activity's failure is stored in the workflow's history
 * @throws UnreachableError if a retry cannot succeed
 */
export type SendMessage = (message: Message) => Promise<void>;

/** The mail server or gateway cannot reach this recipient. */
export class UnreachableError extends Error {
  override name = 'UnreachableError';
}

export const isMail = (message: Message): message is Mail => message.channel !== 'SMS';
