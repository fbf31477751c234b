import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';

/** A long-lived child that dies with us, whatever happens to us. */
export interface Guarded {
  /** The command's own process id, not the guard's. */
  pid: number;
  /** Resolves with the exit code (128 + signal where a signal ended it) once it is gone. */
  exited: Promise<number>;
  /** Asks it to stop (SIGTERM), kills it after its grace, and resolves when it is gone. */
  stop(): Promise<void>;
}

export interface GuardedCommand {
  command: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  /** Where it runs; without it, where we do. */
  cwd?: string;
  /** Time between SIGTERM and SIGKILL. */
  graceMs: number;
  /** Whether it steps back when the machine is busy: what is answered goes before what follows. */
  isBackground?: boolean;
  /** A file that takes its output, begun anew; without it, the output goes where ours goes. */
  logFile?: string;
}

/** About a tenth of the share of what is at work at the same time. */
const backgroundNiceness = 10;

/** Everything that runs here, oldest first. */
const running = new Set<Guarded>();

let stopping = false;

/** Whether everything is being stopped, so that an ending child is no surprise. */
export function isStopping(): boolean {
  return stopping;
}

/** Stops everything started here that still runs, the newest first; nothing can be started after. */
export async function stopAllGuarded(): Promise<void> {
  stopping = true;
  for (let newest = [...running].at(-1); newest; newest = [...running].at(-1)) {
    await newest.stop();
    running.delete(newest);
  }
}

const guardScript = fileURLToPath(new URL('./lifeline.mjs', import.meta.url));

/**
 * Starts a command behind the lifeline guard (see `lifeline.mjs`).
 * @throws Error when the command cannot be started, or everything is being stopped
 */
export async function spawnGuarded(wanted: GuardedCommand): Promise<Guarded> {
  if (stopping) throw new Error(`${wanted.command} is not started: everything is being stopped.`);
  const output = wanted.logFile ? openSync(wanted.logFile, 'w', 0o600) : 'inherit';
  const guard = spawn(
    process.execPath,
    [guardScript, String(wanted.graceMs), wanted.command, ...wanted.args],
    {
      ...{ detached: true, env: wanted.env, stdio: ['ignore', output, output, 'ipc'] },
      ...(wanted.cwd !== undefined && { cwd: wanted.cwd }),
    },
  );
  if (output !== 'inherit') closeSync(output);
  const exited = new Promise<number>((resolve) => {
    guard.on('exit', (code) => {
      // The guard ends after its command; were the guard itself killed, this ends the command.
      if (code === null) killGroup(guard.pid);
      resolve(code ?? 137);
    });
  });
  const pid = await Promise.race([childPid(guard), exited.then(() => undefined)]);
  if (pid === undefined) throw new Error(`${wanted.command} could not be started.`);
  if (wanted.isBackground) stepBack(pid);
  const guarded: Guarded = {
    pid,
    exited,
    async stop() {
      guard.kill('SIGTERM');
      await exited;
    },
  };
  running.add(guarded);
  void exited.then(() => running.delete(guarded));
  return guarded;
}

/** Where the system gives each session its share, the session steps back; elsewhere, the process. */
function stepBack(pid: number): void {
  try {
    setPriority(pid, backgroundNiceness);
    writeFileSync(`/proc/${pid}/autogroup`, String(backgroundNiceness));
  } catch {
    // A system without such groups, or one that does not allow it: it takes an equal share.
  }
}

async function childPid(guard: ChildProcess): Promise<number> {
  const [message] = await once(guard, 'message');
  return message.pid;
}

function killGroup(groupId: number | undefined): void {
  if (!groupId) return;
  try {
    process.kill(-groupId, 'SIGKILL');
  } catch {
    // Every process of the group has ended already.
  }
}
