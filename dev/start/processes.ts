import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import pretty from 'pino-pretty';
import { isStopping, type ManagedProcess, startProcess } from '../managed-process.ts';
import { isFree } from '../servers/ports.ts';
import { awaitReady, awaitRunning } from './await-ready.ts';

export interface ServiceProcess {
  name: string;
  /** Node's arguments: a TypeScript file of this project, after any options. */
  args: string[];
  env: NodeJS.ProcessEnv;
  /** See `ProcessCommand`. */
  isBackground?: boolean;
}

const restartDelayMs = 1_000;
/** Longer than a process takes to stop by itself. */
const graceMs = 25_000;

/**
 * Starts the processes and waits until they are ready. From then on each is restarted a second after it exits.
 * @param readyUrls answer with 200 once everything is ready; of `/statusz`, a backlog is no reason to wait
 * @param ports that were free when they were chosen for the processes
 * @throws Error, after stopping all of them, if one exits before; it says "address already in use" if another
 *   process took a port
 */
export async function startProcesses(
  services: ServiceProcess[],
  readyUrls: string[],
  ports: number[],
  log: (line: string) => void,
): Promise<void> {
  const started = await Promise.all(services.map(start));
  const exits = started.map(({ exited }, index) =>
    exited.then((code) => `The ${services[index]?.name} exited (code ${code}).`),
  );
  const waiting = new AbortController();
  const exit = await Promise.race([...exits, awaitAllReady(readyUrls, waiting.signal)]);
  waiting.abort();
  if (exit === undefined) {
    for (const [index, service] of services.entries()) keepRunning(service, started[index], log);
    return;
  }
  await Promise.all(started.map((one) => one.stop()));
  const free = await Promise.all(ports.map(isFree));
  throw new Error(free.every(Boolean) ? exit : `${exit} Address already in use.`);
}

async function start({ args, env, isBackground = false }: ServiceProcess): Promise<ManagedProcess> {
  return await startProcess({
    command: process.execPath,
    args,
    env,
    isBackground,
    graceMs,
    output: readableLog(),
  });
}

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

function keepRunning(
  service: ServiceProcess,
  running: ManagedProcess | undefined,
  log: (line: string) => void,
): void {
  void running?.exited.then(async (code) => {
    if (isStopping()) return;
    log(`The ${service.name} exited (code ${code}); restarting it.`);
    await sleep(restartDelayMs);
    if (!isStopping()) keepRunning(service, await start(service), log);
  });
}

async function awaitAllReady(urls: string[], signal: AbortSignal): Promise<undefined> {
  await Promise.all(
    urls.map((url) =>
      url.endsWith('/statusz') ? awaitRunning(url, signal) : awaitReady(url, signal),
    ),
  );
}
