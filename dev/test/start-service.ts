import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { portOf } from '../../http/listen.ts';
import { startProcess } from '../managed-process.ts';

const ownScript = fileURLToPath(new URL('../../test/helpers/run-service.ts', import.meta.url));
const graceMs = 5_000;

export interface SharedService {
  /** Where tests ask for the service's addresses. */
  url: string;
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
  const file = join(dataDir, 'service');
  const logFile = join(dataDir, 'service.log');
  const service = await startProcess({
    command: process.execPath,
    args: [script, file],
    env,
    graceMs,
    logFile,
  });
  let hasEnded = false;
  void service.exited.then(() => {
    hasEnded = true;
  });
  while (!existsSync(file)) {
    if (hasEnded) throw new Error(`The tests' service ended:\n${readFileSync(logFile, 'utf8')}`);
    await sleep(50);
  }
  return { url: readFileSync(file, 'utf8'), pid: service.pid, stop: () => service.stop() };
}

/**
 * The service that test files share, started when the first of them needs it.
 * @returns a URL that redirects to the service's own
 */
export async function startOnDemand(start: () => Promise<SharedService>): Promise<string> {
  let starting: Promise<SharedService> | undefined;
  const server = createServer((_request, response) => {
    starting ??= start();
    starting.then(
      ({ url }) => response.writeHead(307, { location: url }).end(),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${portOf(server)}/`;
}
