import { type TextMessage, UnreachableError } from './message.ts';
import { writeToFolder } from './message-folder.ts';

export type SendText = (message: TextMessage) => Promise<void>;

const gatewayTimeoutMs = 10_000;

/**
 * Twilio's error codes for numbers that cannot be reached: invalid, not a mobile phone, in a country
 * without service, or of a recipient who replied STOP.
 */
const unreachableCodes = new Set([21211, 21214, 21217, 21408, 21610, 21612, 21614]);

/**
 * Twilio's Messages resource, without its client package, which brings six more.
 * @param from a number, an alphanumeric sender, or the id of a messaging service (`MG…`)
 */
export function twilio({
  accountSid,
  authToken,
  from,
  baseUrl,
}: {
  accountSid: string;
  authToken: string;
  from: string;
  baseUrl: string;
}): SendText {
  const url = `${baseUrl}/2010-04-01/Accounts/${encodeURIComponent(accountSid)}/Messages.json`;
  const authorization = basic(accountSid, authToken);
  const sender = from.startsWith('MG') ? 'MessagingServiceSid' : 'From';
  return async ({ id, to, text }) => {
    const body = new URLSearchParams({ To: to, [sender]: from, Body: text });
    const response = await post(id, url, { headers: { authorization }, body });
    if (response.ok) return;
    const { code = 0 } = (await response.json().catch(() => ({}))) as { code?: number };
    if (unreachableCodes.has(code)) {
      throw new UnreachableError(`text ${id} cannot be delivered: Twilio ${code}`);
    }
    throw new Error(`text ${id} was not sent: HTTP ${response.status}, Twilio ${code}`);
  };
}

/**
 * Any gateway over HTTP: a POST of `{id, from, to, text}` as JSON, with the id also as `Idempotency-Key`.
 * A 2xx response accepts the message, 422 means that the number cannot be reached, and any other
 * response is an error that can be retried.
 * @param url with the credentials for HTTP Basic authentication, if any
 */
export function httpGateway(url: URL, from: string): SendText {
  const bare = new URL(url);
  bare.username = '';
  bare.password = '';
  const authorization = basic(decodeURIComponent(url.username), decodeURIComponent(url.password));
  return async ({ id, to, text }) => {
    const response = await post(id, bare.href, {
      headers: {
        'content-type': 'application/json',
        ...(url.username !== '' && { authorization }),
      },
      body: JSON.stringify({ id, from, to, text }),
    });
    await response.body?.cancel();
    if (response.ok) return;
    if (response.status === 422) {
      throw new UnreachableError(`text ${id} cannot be delivered: the gateway refused the number`);
    }
    throw new Error(`text ${id} was not sent: HTTP ${response.status}`);
  };
}

/** @throws Error with the cause, without any content of the message */
async function post(
  id: string,
  url: string,
  { headers, body }: { headers: Record<string, string>; body: string | URLSearchParams },
): Promise<Response> {
  const signal = AbortSignal.timeout(gatewayTimeoutMs);
  try {
    return await fetch(url, {
      method: 'POST',
      redirect: 'error',
      // The same for every attempt, so that a gateway that was slow does not text twice.
      headers: { ...headers, 'idempotency-key': id },
      body,
      signal,
    });
  } catch (error) {
    const { name, cause } = error as Error & { cause?: { code?: string } };
    throw new Error(`text ${id} was not sent: ${cause?.code ?? name}`);
  }
}

const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

/**
 * Sends text messages through a gateway. Without an `SMS_URL`, and for messages that stay in the message folder,
 * it writes readable `.txt` files to the message folder.
 */
export function createTexter({
  smsUrl,
  from,
  messageDir,
}: {
  smsUrl: string | undefined;
  from: string;
  messageDir: string;
}): SendText {
  const send = smsUrl === undefined ? undefined : gatewayFor(new URL(smsUrl), from);
  return async (message: TextMessage) => {
    const { id, to, text, purchaseEventId = null, staysInFolder = false } = message;
    if (send && !staysInFolder) return await send(message);
    const copy = Buffer.from(`From: ${from}\nTo: ${to}\n\n${text}\n`);
    await writeToFolder(messageDir, { id, purchaseEventId, kind: 'txt' }, copy);
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
