import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PartnerClient } from '../client.ts';
import type { Rehearsal } from '../types.ts';
import { toJson } from './json.ts';
import { lines } from './render.ts';

export const rehearseHelp = `
For the TEST key: responses are lost although the event was recorded, requests get 503 and 429 or are late, and webhooks
arrive twice, out of order, late, or with another signature beside yours. Let your integration sell in TEST meanwhile,
and compare its list with "reconcile" if it has one. With --orders, this command sends purchases, and ends once they are through.
Exit codes: 0 passed, 3 there are problems or nothing happened, 1 refused or no response, 2 the command itself is wrong.`;

export interface RehearseOptions {
  minutes?: number;
  orders?: number;
  json?: boolean;
}

const problemsCode = 3;
const pauseMs = 2_000;

/** How each problem is mended. */
const advice: Readonly<Record<string, string>> = {
  NOT_RETRIED: 'send the same request again when there is no response, a 429 or a 503',
  OTHER_BYTES: 'store the body with its key, and send those bytes again',
  TOO_EARLY: 'wait as long as Retry-After says',
  LOST_FOR_GOOD: 'retry until there is a response; compare a list every night',
  WEBHOOK_REFUSED: 'answer 2xx to repeats, in any order, and try each signature of the header',
  MISSING_ORDERS: 'report what the comparison names',
};

/** Starts a rehearsal, waits for its end, and prints the report. Sets the exit code. */
export async function rehearse(
  client: PartnerClient,
  { minutes, orders, json = false }: RehearseOptions,
): Promise<void> {
  const { rehearsal } = await client.startRehearsal(minutes);
  process.stderr.write(`${rehearsal.id} is on until ${rehearsal.endsAt}\n`);
  if (orders === undefined) await sleepUntil(Date.parse(rehearsal.endsAt));
  else await sell(client, orders);
  const { rehearsal: ended } = await client.rehearsal(rehearsal.id);
  process.stdout.write(json ? toJson(ended) : render(ended));
  if (ended.report.verdict !== 'PASSED') process.exitCode = problemsCode;
}

async function sleepUntil(atMs: number): Promise<void> {
  while (Date.now() < atMs) await sleep(Math.min(pauseMs, Math.max(1, atMs - Date.now())));
}

/** Purchases, one after the other, each of which the client retries. */
async function sell(client: PartnerClient, orders: number): Promise<void> {
  // The key is looked up at most every few seconds.
  await sleep(pauseMs);
  for (let count = 0; count < orders; count += 1) {
    await client.purchase({
      externalOrderId: `rehearsal-${randomUUID()}`,
      customer: { email: 'customer@example.com' },
      order: { subtotalCents: 4_990 },
    });
  }
}

function render({ id, status, endsAt, report }: Rehearsal): string {
  const { faults, retried, webhooks, missingOrders, problems, verdict } = report;
  const ways = Object.entries(webhooks).map(
    ([way, { sent, accepted }]) => `${way} ${accepted} of ${sent}`,
  );
  const summary = lines(`Rehearsal ${id}, ${verdict}`, [
    ['Status', `${status}, until ${endsAt}`],
    [
      'Requests',
      Object.entries(faults)
        .map(([fault, count]) => `${fault} ${count}`)
        .join(', '),
    ],
    ['Retried', retried],
    ['Webhooks', `${ways.join(', ')} accepted`],
    ['Missing', missingOrders === null ? 'no list was compared' : missingOrders],
  ]);
  const found = problems.map(({ problem, count, requestIds }) => {
    const named = requestIds.length === 0 ? '' : ` (${requestIds.join(', ')})`;
    return `  ${count} × ${problem}: ${advice[problem] ?? ''}${named}\n`;
  });
  return summary + (found.length === 0 ? '' : `What to mend:\n${found.join('')}`);
}
