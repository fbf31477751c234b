import type { TextMessage } from './message.ts';
import { writeToOutbox } from './outbox.ts';
import { httpGateway, type SendText, twilio } from './text-gateways.ts';

/**
 * Sends text messages through a gateway. Without an `SMS_URL`, and for messages that stay in the outbox,
 * it writes readable `.txt` files to the outbox folder.
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
  const send = smsUrl === undefined ? undefined : gatewayFor(new URL(smsUrl), from);
  return async (message: TextMessage) => {
    const { id, to, text, dataKeyId = null, staysInOutbox = false } = message;
    if (send && !staysInOutbox) return await send(message);
    const copy = Buffer.from(`From: ${from}\nTo: ${to}\n\n${text}\n`);
    await writeToOutbox(outboxDir, { id, dataKeyId, kind: 'txt' }, copy);
  };
}

/** @param url `twilio://<account sid>:<auth token>@api.twilio.com`, or any gateway's, with its credentials */
function gatewayFor(url: URL, from: string): SendText {
  const user = decodeURIComponent(url.username);
  const password = decodeURIComponent(url.password);
  if (url.protocol !== 'twilio:') return httpGateway(url, from);
  return twilio({
    accountSid: user,
    authToken: password,
    from,
    baseUrl: `https://${url.host}`,
  });
}
