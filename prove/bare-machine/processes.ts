import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

const readyMs = 60_000;
const containers = 12;
/** The kernel's. */
const sharesOfProcess = 1_024;

/** Enters another set of mounts in the folder of this process. */
export const here = (): string[] => ['env', '-C', process.cwd()];

/** Processes that live until `stop`, which ends the last one first. */
export function createProcessStack() {
  const children: ChildProcess[] = [];
  return {
    /** @returns its process id */
    start(program: string, args: readonly string[], output: number | 'ignore' = 'ignore'): string {
      const stdio = ['ignore', output, output] as const;
      const child = spawn(program, args, { stdio: [...stdio], detached: true });
      children.push(child);
      return String(child.pid);
    },

    async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
      for (const child of children.toReversed()) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        child.kill(signal);
        await new Promise((resolve) => child.once('exit', resolve));
      }
    },
  };
}

/**
 * Lets the containers of a cgroup have as much of the processor as they would have without it: the kernel divides that
 * among the cgroups and processes of the machine, and a deployment would be one of them.
 */
export async function shareProcessor(cgroup: string): Promise<void> {
  const controller = '/sys/fs/cgroup/cpu';
  if (!existsSync(controller)) return;
  await mkdir(`${controller}/${cgroup}`, { recursive: true });
  await writeFile(`${controller}/${cgroup}/cpu.shares`, String(containers * sharesOfProcess));
}

/** Removes a cgroup whose processes have ended, in every hierarchy. */
export async function removeCgroup(cgroup: string): Promise<void> {
  const all = ['/sys/fs/cgroup', '-depth', '-type', 'd', '-path', `*/${cgroup}*`];
  await run('find', [...all, '-exec', 'rmdir', '{}', '+']).catch(() => undefined);
}

/** @throws Error that names where to look, unless it is ready in time */
export async function awaitStart(where: string, isReady: () => Promise<unknown>): Promise<void> {
  for (const endMs = Date.now() + readyMs; ; await delay(200)) {
    if (await isReady().catch(() => false)) return;
    if (Date.now() > endMs) throw new Error(`It does not start: ${where}`);
  }
}

/** Runs a program with this one's terminal, and passes signals on. @returns its exit code */
export async function runToEnd(
  [program = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const child = spawn(program, args, { env, stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => child.kill(signal));
  }
  return await new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
}
