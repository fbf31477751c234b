import { readFile } from 'node:fs/promises';
import type { Models } from '../../../models/schemas/index.ts';

/** Resource usage up to a moment. */
export interface ResourceUsage {
  /** CPU time by process, user and system, in milliseconds. */
  cpuMs: Record<string, number>;
  /** How often MongoDB flushed its journal to disk. */
  flushes: number;
  /** Inserts that a unique index rejected: lost races and repeats. */
  duplicateKeyErrors: number;
}

/** The kernel's clock ticks per second, the same on every current Linux. */
const msPerTick = 10;

/** @throws Error except on Linux: it reads /proc */
export async function readMeter(
  { connection }: Models,
  pids: Readonly<Record<string, number>>,
): Promise<ResourceUsage> {
  const status = await connection.db?.admin().serverStatus();
  const times = Object.entries(pids).map(async ([name, pid]) => [name, await cpuMsOf(pid)]);
  return {
    cpuMs: Object.fromEntries(await Promise.all(times)),
    flushes: status?.wiredTiger.log['log sync operations'],
    duplicateKeyErrors: status?.opcounters.insert - status?.metrics.document.inserted,
  };
}

/** The usage between two readings, for processes that ran at both. */
export function usedBetween(before: ResourceUsage, after: ResourceUsage): ResourceUsage {
  const spent = Object.entries(after.cpuMs).flatMap(([name, cpuMs]) => {
    const earlier = before.cpuMs[name];
    return earlier === undefined ? [] : [[name, cpuMs - earlier]];
  });
  return {
    cpuMs: Object.fromEntries(spent),
    flushes: after.flushes - before.flushes,
    duplicateKeyErrors: after.duplicateKeyErrors - before.duplicateKeyErrors,
  };
}

/** @returns the CPU time of a process, in milliseconds */
export async function cpuMsOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The program's name is in parentheses and can contain spaces; utime and stime are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * msPerTick;
}

/** @returns the resident memory of a process, in bytes */
export async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1_024;
}
