import type { TextMessage } from './message.ts';
import { writeToOutbox } from './outbox.ts';
import { httpGateway, type SendText, twilio } from './text-gateways.ts';

/**
 * Sends by the gateway where there is an `SMS_URL`, and the message may leave the house; else writes
 * readable `.txt` files into the outbox folder.
 */
export function createTexter({
  smsUrl,
  from,
  outboxDir,
}: {
  smsUrl: string | undefined;
  from: string;
  outboxDir: string;
}): SendText {
  const carry = smsUrl === undefined ? undefined : gatewayFor(new URL(smsUrl), from);
  return async (message: TextMessage) => {
    const { id, to, text, dataKeyId = null, staysInOutbox = false } = message;
    if (carry && !staysInOutbox) return await carry(message);
    const copy = Buffer.from(`From: ${from}\nTo: ${to}\n\n${text}\n`);
    await writeToOutbox(outboxDir, { id, dataKeyId, kind: 'txt' }, copy);
  };
}

/** `twilio://<account sid>:<auth token>@api.twilio.com`, or the address of a gateway, credentials within it. */
function gatewayFor(url: URL, from: string): SendText {
  const user = decodeURIComponent(url.username);
  const password = decodeURIComponent(url.password);
  if (url.protocol !== 'twilio:') return httpGateway(url, from);
  return twilio({
    ...{ accountSid: user, authToken: password, from },
    baseUrl: `https://${url.host}`,
  });
}
