import Table from 'cli-table3';
import { aloneOf } from '../audit/index.ts';
import type { AuditRunDoc } from '../models/schemas/audit.ts';
import { printable } from './printable.ts';

/** The findings of an audit: a table of its checks, then the culprits of each failed check. */
export function auditTable({
  checks,
  summary,
  alone,
}: Pick<AuditRunDoc, 'checks' | 'summary' | 'alone'>): string {
  const table = new Table({
    head: ['check', 'checked', 'waiting', 'faults'],
    colAligns: ['left', 'right', 'right', 'right'],
    style: { head: [], border: [] },
  });
  table.push(
    ...checks.map(({ name, lookedAt, waiting, faults }) => [name, lookedAt, waiting, faults]),
  );
  const failed = checks.filter(({ faults }) => faults > 0);
  const culprits = failed.flatMap(({ name, faults, culprits }) => [
    '',
    `${name}: ${faults}`,
    ...culprits.map((culprit) => `  ${printable(culprit)}`),
    ...(faults > culprits.length ? [`  and ${faults - culprits.length} more`] : []),
  ]);
  const verdict = failed.length === 0 ? [summary] : [...culprits, ...aloneOf(alone)];
  return `${[table.toString(), ...verdict].join('\n')}\n`;
}
