// Reports purchases and refunds, signed, using only Node 24.
//   export PARTNER_URL=http://127.0.0.1:3000 PARTNER_KEY=pk_test_… PARTNER_SECRET=sk_test_…
//   node purchase.ts purchase A1; node purchase.ts refund A1; node purchase.ts usage
import { createHash, createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

const { PARTNER_URL = '', PARTNER_KEY = '', PARTNER_SECRET = '' } = process.env;

/** The signature header's value. The secret is used exactly as shown; it is not decoded. */
export function sign(
  secret: string,
  method: string,
  path: string,
  timestamp: string,
  body: string | Uint8Array,
): string {
  const hash = createHash('sha256').update(body).digest('hex');
  // Five lines, without a line break at the end.
  const text = ['v1', method.toUpperCase(), path, timestamp, hash].join('\n');
  return `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`;
}

/** @returns the exit code */
async function send(method: string, path: string, key?: string, fields?: object): Promise<number> {
  // Serialized once: every attempt signs and sends exactly these bytes.
  const body = fields ? JSON.stringify(fields) : '';
  let failure = '';
  for (let attempt = 0; attempt < 5; attempt += 1) {
    // Every attempt has a new signature, because the time is signed too.
    const timestamp = String(Math.floor(Date.now() / 1000));
    const headers = {
      'X-Partner-Key': PARTNER_KEY,
      'X-Partner-Timestamp': timestamp,
      'X-Partner-Signature': sign(PARTNER_SECRET, method, path, timestamp, body),
      // The same key for every retry, so that none counts twice.
      ...(key && { 'Content-Type': 'application/json', 'Idempotency-Key': key }),
    };
    let waitSeconds = 2 ** attempt;
    try {
      const signal = AbortSignal.timeout(10_000);
      const sent = { method, headers, signal, ...(body && { body }) };
      const response = await fetch(PARTNER_URL + path, sent);
      const text = await response.text();
      if (![408, 429, 500, 502, 503, 504].includes(response.status)) {
        process.stdout.write(text); // For a refusal: the code of the error, and what to do.
        return response.ok ? 0 : 1;
      }
      failure = text;
      waitSeconds = Math.max(waitSeconds, Number(response.headers.get('retry-after') ?? 0));
    } catch (outage) {
      failure = String(outage);
    }
    if (attempt < 4) await sleep(waitSeconds * 1000);
  }
  process.stderr.write(`No success: ${failure}. Try again later, with the same key.\n`);
  return 1;
}

async function main(what?: string, order?: string): Promise<number> {
  if (what === 'purchase' && order) {
    const customer = { email: 'ann@example.com' };
    const fields = { externalOrderId: order, customer, order: { subtotalCents: 4990 } };
    return await send('POST', '/api/v1/partner/purchases', `purchase:${order}`, fields);
  }
  if (what === 'part' && order) {
    // One item came back: each part has an id of its own.
    const fields = { externalOrderId: order, externalRefundId: `${order}-1`, amountCents: 1200 };
    return await send('POST', '/api/v1/partner/refunds', `refund:${order}:${order}-1`, fields);
  }
  if (what === 'refund' && order) {
    const fields = { externalOrderId: order };
    return await send('POST', '/api/v1/partner/refunds', `refund:${order}`, fields);
  }
  if (what === 'usage') return await send('GET', '/api/v1/partner/usage');
  process.stderr.write('Usage: purchase <order> | part <order> | refund <order> | usage\n');
  return 2;
}

if (import.meta.main) process.exitCode = await main(...process.argv.slice(2, 4));
