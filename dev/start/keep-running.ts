import { setTimeout as sleep } from 'node:timers/promises';
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

/** Starts a service, and restarts it after a second whenever it exits. */
export async function keepRunning(service: Service, log: (line: string) => void): Promise<void> {
  const running = await startProcess({
    command: process.execPath,
    args: service.args,
    env: service.env,
    isBackground: service.isBackground ?? false,
    graceMs,
  });
  void running.exited.then(async (code) => {
    if (isStopping()) return;
    log(`The ${service.name} exited (code ${code}); restarting it.`);
    await sleep(restartDelayMs);
    if (!isStopping()) await keepRunning(service, log);
  });
}
