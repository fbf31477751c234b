// Reports a purchase, signed, with nothing but Node 24.
//   PARTNER_URL=http://127.0.0.1:3000 PARTNER_KEY=pk_test_… PARTNER_SECRET=sk_test_… node purchase.ts A1
// The partner SDK does the same, and retries.
import { createHash, createHmac } from 'node:crypto';

/** The signature header's value. The secret is used as it was shown: it is not decoded. */
export function sign(
  secret: string,
  method: string,
  path: string,
  timestamp: string,
  body: string | Uint8Array,
): string {
  const hash = createHash('sha256').update(body).digest('hex');
  // Five lines, and no line break at the end.
  const text = ['v1', method.toUpperCase(), path, timestamp, hash].join('\n');
  return `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`;
}

async function reportPurchase(order: string): Promise<void> {
  const { PARTNER_URL = '', PARTNER_KEY = '', PARTNER_SECRET = '' } = process.env;
  const path = '/api/v1/partner/purchases';
  // Written once: the bytes that are signed are the bytes that are sent.
  const body = JSON.stringify({
    externalOrderId: order,
    customer: { email: 'ann@example.com' },
    order: { subtotalCents: 4990 },
  });
  const timestamp = String(Math.floor(Date.now() / 1000));
  const response = await fetch(PARTNER_URL + path, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      // The same for every retry of this order, so that none of them counts twice.
      'Idempotency-Key': `purchase:${order}`,
      'X-Partner-Key': PARTNER_KEY,
      'X-Partner-Timestamp': timestamp,
      'X-Partner-Signature': sign(PARTNER_SECRET, 'POST', path, timestamp, body),
    },
    body,
  });
  process.stdout.write(await response.text());
  if (!response.ok) process.exitCode = 1;
}

if (import.meta.main) {
  const [order] = process.argv.slice(2);
  if (order === undefined) throw new Error('Give your id of the order.');
  await reportPurchase(order);
}
