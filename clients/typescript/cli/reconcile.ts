import { setTimeout as sleep } from 'node:timers/promises';
import type { PartnerClient } from '../client.ts';
import type { Difference, ListType, ReconciliationResponse } from '../types.ts';
import { readInput } from './input.ts';
import { toJson } from './json.ts';
import { lines, table } from './render.ts';
import { UsageError } from './usage-error.ts';

export const reconcileHelp = `
For a nightly job: sends the list, waits for the result and prints each difference, with what to send to repair
it. The list has the columns externalOrderId, subtotal (49.90) or subtotalCents (4990), and optionally currency,
occurredAt, refunded, refundedAmount or refundedCents, externalRefundId and amountCents; or it has lines of JSON
with these fields. If every row has occurredAt, orders that were reported for that time and are not in the list are named too.
Exit codes: 0 nothing differs, 3 something does, 1 refused, failed or no response, 2 the command itself is wrong.`;

const differsCode = 3;
const firstPauseMs = 500;
const longestPauseMs = 10_000;
/** A list that takes longer has not begun: the service's worker is down. */
const patienceMs = 30 * 60_000;

type Reconciliation = ReconciliationResponse['reconciliation'];

/** Compares a list, and prints what is different. Sets the exit code. @throws UsageError, or as the client does */
export async function reconcile(
  client: PartnerClient,
  file: string,
  { type, json = false }: { type?: 'csv' | 'jsonl'; json?: boolean },
): Promise<void> {
  const list = await readInput(file === '-' ? '-' : `@${file}`);
  const sent = await client.reconcile(list, typeOf(file, type));
  const { mode } = sent;
  const done = await awaitEnd(client, sent.reconciliation);
  const differences = await allOf(client, done);
  const found = { ...done, differences };
  process.stdout.write(json ? toJson({ mode, reconciliation: found }) : render(mode, found));
  if (done.status !== 'DONE') process.exitCode = 1;
  else if (differences.length > 0) process.exitCode = differsCode;
}

function typeOf(file: string, type: 'csv' | 'jsonl' | undefined): ListType {
  const isLines = type === undefined ? /\.(jsonl|ndjson)$/i.test(file) : type === 'jsonl';
  return isLines ? 'application/x-ndjson' : 'text/csv';
}

async function awaitEnd(client: PartnerClient, first: Reconciliation): Promise<Reconciliation> {
  const startMs = Date.now();
  let pauseMs = firstPauseMs;
  for (let found = first; ; { reconciliation: found } = await client.reconciliation(first.id)) {
    if (found.status === 'DONE' || found.status === 'FAILED') return found;
    if (Date.now() - startMs > patienceMs) {
      throw new UsageError(`${first.id} is still ${found.status}; look again later in the portal`);
    }
    await sleep(pauseMs);
    pauseMs = Math.min(longestPauseMs, pauseMs * 2);
  }
}

async function allOf(
  client: PartnerClient,
  { id, differences, pages }: Reconciliation,
): Promise<Difference[]> {
  const all = [...differences];
  for (let page = 2; page <= pages; page += 1) {
    all.push(...(await client.differences(id, page)).differences);
  }
  return all;
}

function render(mode: string, found: Reconciliation): string {
  const { counts, unknownStatuses, checkedFrom, checkedTo, differences } = found;
  const summary = lines(`Reconciliation ${found.id}, ${mode}`, [
    ['Status', found.problem === null ? found.status : `${found.status}: ${found.problem}`],
    ['Rows', counts?.rows],
    ['Matched', counts?.matched],
    ['Missing', counts?.missing],
    ['Not in file', counts?.notInFile],
    ['Duplicate', counts?.duplicate],
    ['Mismatched', counts?.mismatched],
    [
      'Unknown',
      unknownStatuses.length === 0
        ? undefined
        : unknownStatuses.map(({ status, rows }) => `${status} (${rows})`).join(', '),
    ],
    ['Checked', checkedFrom === null ? undefined : `${checkedFrom} to ${checkedTo}`],
    ['Cut', found.isCut ? 'there were more than are kept' : undefined],
  ]);
  const rows = differences.map((one) => [
    one.row ?? '',
    one.externalOrderId,
    one.externalRefundId ?? '',
    `${one.kind}: ${one.what}`,
  ]);
  const repairs = differences.flatMap(({ repair }) => (repair === null ? [] : textOf(repair)));
  const toSend = repairs.length === 0 ? '' : `To repair it, send:\n${repairs.join('')}`;
  return summary + table(['Row', 'Order', 'Refund', 'What'], rows) + toSend;
}

function textOf({ method, path, body, add }: NonNullable<Difference['repair']>): string {
  const more = add.length === 0 ? '' : ` and ${add.join(', ')}`;
  return `  ${method} ${path} ${JSON.stringify(body)}${more}\n`;
}
