import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** A long-running child process that never outlives this one, even after `kill -9`. */
export interface ManagedProcess {
  /** The command's own process id, not the guard's. */
  pid: number;
  /** Resolves with the exit code (128 + signal number if a signal ended it). */
  exited: Promise<number>;
  /** Sends SIGTERM, then SIGKILL after the grace period; resolves once the process has exited. */
  stop(): Promise<void>;
}

export interface ProcessCommand {
  command: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  /** Defaults to this process's working directory. */
  cwd?: string;
  /** Time between SIGTERM and SIGKILL. */
  graceMs: number;
  /** Lowers its priority, so that a busy machine answers requests before it does background work. */
  isBackground?: boolean;
  /** Receives its output and is overwritten; by default the output is inherited. */
  logFile?: string;
  /** Receives its standard output instead. */
  output?: Writable;
}

/** Gets about a tenth of the CPU share of a process with normal priority. */
const backgroundNiceness = 10;

/** In the order in which they were started. */
const running = new Set<ManagedProcess>();

let stopping = false;

/** True once `stopAllProcesses` was called: from then on a child that exits is expected to. */
export function isStopping(): boolean {
  return stopping;
}

/** Stops all running processes, newest first. No process can be started afterwards. */
export async function stopAllProcesses(): Promise<void> {
  stopping = true;
  for (let newest = [...running].at(-1); newest; newest = [...running].at(-1)) {
    await newest.stop();
    running.delete(newest);
  }
}

const guardScript = fileURLToPath(new URL('./process-guard.mjs', import.meta.url));

/**
 * Starts a command under its guard (see `process-guard.mjs`).
 * @throws Error when the command cannot be started, or after `stopAllProcesses`
 */
export async function startProcess(wanted: ProcessCommand): Promise<ManagedProcess> {
  if (stopping)
    throw new Error(`${wanted.command} was not started because everything is shutting down.`);
  const output = wanted.logFile ? openSync(wanted.logFile, 'w', 0o600) : 'inherit';
  const guard = spawn(
    process.execPath,
    [guardScript, String(wanted.graceMs), wanted.command, ...wanted.args],
    {
      detached: true,
      env: wanted.env,
      stdio: ['ignore', wanted.output ? 'pipe' : output, output, 'ipc'],
      ...(wanted.cwd !== undefined && { cwd: wanted.cwd }),
    },
  );
  if (output !== 'inherit') closeSync(output);
  if (wanted.output) guard.stdout?.pipe(wanted.output);
  const exited = new Promise<number>((resolve) => {
    guard.on('exit', (code) => {
      // The guard exits after its command. If the guard itself was killed, its command still runs.
      if (code === null) killGroup(guard.pid);
      resolve(code ?? 137);
    });
  });
  const pid = await Promise.race([childPid(guard), exited.then(() => undefined)]);
  if (pid === undefined) throw new Error(`${wanted.command} could not be started.`);
  if (wanted.isBackground) lowerPriority(pid);
  const managed: ManagedProcess = {
    pid,
    exited,
    async stop() {
      guard.kill('SIGTERM');
      await exited;
    },
  };
  running.add(managed);
  void exited.then(() => running.delete(managed));
  return managed;
}

/** On systems that schedule by session (autogroup), niceness alone changes nothing: the session's is lowered too. */
function lowerPriority(pid: number): void {
  try {
    setPriority(pid, backgroundNiceness);
    writeFileSync(`/proc/${pid}/autogroup`, String(backgroundNiceness));
  } catch {
    // No autogroups, or no permission: the process keeps its normal share.
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
    // The whole group has exited already.
  }
}
