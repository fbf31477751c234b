import { spawn } from 'node:child_process';
import { mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/**
 * Imported by helpers that need MongoDB, Temporal or the shared service: their addresses are in the environment under
 * `npm test`. In a run of ava alone, they are those of servers in the background, which the first file starts.
 */
const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, '.data', 'test');
const logFile = join(folder, 'servers.log');
const mostMs = 180_000;

if (!process.env.TEST_DATABASES) Object.assign(process.env, await backgroundServers());

/** @throws Error with their output if they do not start */
async function backgroundServers(): Promise<Record<string, string>> {
  const deadline = Date.now() + mostMs;
  while (Date.now() < deadline) {
    const found = (await askForAddresses()) ?? (await startServers());
    if (found) return found;
    await sleep(1_000);
  }
  throw new Error('The servers in the background did not answer.');
}

/** The addresses of servers that run in the background; undefined if none do. */
async function askForAddresses(): Promise<Record<string, string> | undefined> {
  try {
    const { url } = JSON.parse(readFileSync(join(folder, 'servers.json'), 'utf8'));
    const response = await fetch(url);
    return response.ok ? ((await response.json()) as Record<string, string>) : undefined;
  } catch {
    return undefined;
  }
}

/** @returns their addresses; undefined if another process is starting them */
async function startServers(): Promise<Record<string, string> | undefined> {
  mkdirSync(folder, { recursive: true });
  const output = openSync(logFile, 'a', 0o600);
  const { MONGODB_URI: _mongodb, TEMPORAL_ADDRESS: _temporal, ...env } = process.env;
  const child = spawn(process.execPath, [join(root, 'dev/test/background-servers.ts')], {
    cwd: root,
    detached: true,
    env,
    stdio: ['ignore', output, output],
  });
  child.unref();
  for (;;) {
    const found = await askForAddresses();
    if (found) return found;
    if (child.exitCode === 0) return undefined;
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`The servers did not start:\n${readFileSync(logFile, 'utf8')}`);
    }
    await sleep(200);
  }
}
