import { readFile } from 'node:fs/promises';

/** The kernel's clock ticks per second, the same on every current Linux. */
const msPerTick = 10;

/**
 * The CPU time of processes, user and system, in milliseconds, by the kind that ends their name: those of
 * one kind, such as workers, are added up.
 * @throws Error except on Linux: it reads /proc
 */
export async function readCpuMs(
  pids: Readonly<Record<string, number>>,
): Promise<Record<string, number>> {
  const cpuMs: Record<string, number> = {};
  for (const [name, pid] of Object.entries(pids)) {
    const kind = name.split(' ').at(-1) ?? name;
    cpuMs[kind] = (cpuMs[kind] ?? 0) + (await cpuMsOf(pid));
  }
  return cpuMs;
}

/** @returns the CPU time of a process, in milliseconds */
export async function cpuMsOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The program's name is in parentheses and can contain spaces; utime and stime are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * msPerTick;
}
