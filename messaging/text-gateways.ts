import { type TextMessage, UnreachableError } from './message.ts';

export type SendText = (message: TextMessage) => Promise<void>;

/** Longest wait for a gateway's answer. */
const gatewayTimeoutMs = 10_000;

/**
 * What Twilio answers about a number that no text message reaches: not a number, no mobile phone, a
 * country that is not served, a recipient who answered STOP.
 */
const unreachableCodes = new Set([21211, 21214, 21217, 21408, 21610, 21612, 21614]);

/**
 * Twilio's Messages resource (docs/decisions/023-text-messages.md).
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
      throw new UnreachableError(`text ${id} reaches nobody: Twilio ${code}`);
    }
    throw new Error(`text ${id} was not sent: HTTP ${response.status}, Twilio ${code}`);
  };
}

/**
 * Any gateway over HTTP: a POST of `{id, from, to, text}` as JSON, with the id as `Idempotency-Key` too.
 * A 2xx takes it, 422 says that the number cannot be texted; everything else is tried again.
 * @param url with the credentials of HTTP Basic in it, if there are any
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
        'idempotency-key': id,
        ...(url.username !== '' && { authorization }),
      },
      body: JSON.stringify({ id, from, to, text }),
    });
    await response.body?.cancel();
    if (response.ok) return;
    if (response.status === 422) {
      throw new UnreachableError(`text ${id} reaches nobody: the gateway refuses the number`);
    }
    throw new Error(`text ${id} was not sent: HTTP ${response.status}`);
  };
}

/** @throws Error that names what failed, and nothing of what was sent */
async function post(
  id: string,
  url: string,
  { headers, body }: { headers: Record<string, string>; body: string | URLSearchParams },
): Promise<Response> {
  const signal = AbortSignal.timeout(gatewayTimeoutMs);
  try {
    return await fetch(url, { method: 'POST', redirect: 'error', headers, body, signal });
  } catch (error) {
    const { name, cause } = error as Error & { cause?: { code?: string } };
    throw new Error(`text ${id} was not sent: ${cause?.code ?? name}`);
  }
}

const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
