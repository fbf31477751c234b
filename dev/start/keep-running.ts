import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import pretty from 'pino-pretty';
import { isStopping, startProcess } from '../managed-process.ts';

export interface Service {
  name: string;
  /** Node's arguments: a TypeScript file of this project, after any options. */
  args: string[];
  env: NodeJS.ProcessEnv;
  /** See `GuardedCommand`. */
  isBackground?: boolean;
}

const restartDelayMs = 1_000;
/** Longer than a process takes to stop by itself. */
const graceMs = 25_000;

/**
 * A stream that prints log entries for people, each on a line.
 * @param destination a file descriptor, or where the lines go
 */
export const readableLog = (destination: number | Writable = 1) =>
  pretty({
    destination,
    ignore: 'pid,hostname,service',
    messageFormat: '{if service}[{service}] {end}{msg}',
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
  });

/** Starts a service, and restarts it after a second whenever it exits. */
export async function keepRunning(service: Service, log: (line: string) => void): Promise<void> {
  const running = await startProcess({
    command: process.execPath,
    args: service.args,
    env: service.env,
    isBackground: service.isBackground ?? false,
    graceMs,
    output: readableLog(),
  });
  void running.exited.then(async (code) => {
    if (isStopping()) return;
    log(`The ${service.name} exited (code ${code}); restarting it.`);
    await sleep(restartDelayMs);
    if (!isStopping()) await keepRunning(service, log);
  });
}
