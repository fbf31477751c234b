import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startProcess } from '../managed-process.ts';

const ownScript = fileURLToPath(new URL('../../test/helpers/run-service.ts', import.meta.url));
const graceMs = 5_000;

export interface SharedService {
  /** Contains the service's addresses, for the tests. */
  file: string;
  pid: number;
  stop(): Promise<void>;
}

/**
 * Starts the service that the test files of a run share.
 * @param env with the addresses of the run's servers
 * @param script starts the service; another one runs another copy of the code
 * @throws Error with its output if it ends before it listens
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
