import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startProcess } from '../managed-process.ts';

const ownScript = fileURLToPath(new URL('../../test/helpers/run-service.ts', import.meta.url));
const graceMs = 5_000;

export interface SharedService {
  /** Tells the tests where the service is. */
  file: string;
  pid: number;
  stop(): Promise<void>;
}

/**
 * Starts the service that the files of a run share.
 * @param env where the run's servers are
 * @param script what starts it, when it is not this copy of the code that is to run
 * @throws Error with what it said, when it does not come up
 */
export async function startSharedService(
  dataDir: string,
  env: NodeJS.ProcessEnv,
  script = ownScript,
): Promise<SharedService> {
  const file = join(dataDir, 'service.json');
  const logFile = join(dataDir, 'service.log');
  const service = await startProcess({
    command: process.execPath,
    args: [script, file],
    ...{ env, graceMs, logFile },
  });
  let hasEnded = false;
  void service.exited.then(() => {
    hasEnded = true;
  });
  while (!existsSync(file)) {
    if (hasEnded) throw new Error(`The tests' service ended:\n${readFileSync(logFile, 'utf8')}`);
    await sleep(50);
  }
  return { file, pid: service.pid, stop: () => service.stop() };
}
