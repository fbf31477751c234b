import { once } from 'node:events';
import { globSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { portOf } from '../../http/listen.ts';
import { runUntilShutdown, shutDown, shutdownRequested } from '../shutdown.ts';
import { startTestServers, testBundles } from './servers.ts';
import { throwawayFolder } from './throwaway-folder.ts';

/**
 * `node dev/test/background-servers.ts`: the servers of test files that run without `npm test`, as in an editor.
 * `test/helpers/servers.ts` starts it and asks it for the addresses; it ends when nobody has asked for a while.
 */
const idleMs = 15 * 60_000;
const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, '.data', 'test');
const file = join(folder, 'servers.json');
const sources =
  '{activities,api,domain,events,http,messaging,models,operations,platform,portal,temporal,worker,workflows,test/helpers}/**';
const busy = 5;

mkdirSync(folder, { recursive: true });
// The operating system releases the lock when this process ends, however it does.
const lock = new DatabaseSync(join(folder, 'lock'));
try {
  lock.exec('BEGIN EXCLUSIVE');
} catch (error) {
  // Another process starts the servers, or has started them.
  process.exit((error as { errcode?: number }).errcode === busy ? 0 : 1);
}
const stopped = shutdownRequested();
const dataDir = await mkdtemp(join(throwawayFolder(), 'partner-events-test-'));
process.once('exit', () => {
  rmSync(file, { force: true });
  rmSync(dataDir, { recursive: true, force: true });
});
const { servers, env } = await runUntilShutdown(stopped, () =>
  startTestServers(dataDir, sourcesVersion),
);
const idle = setTimeout(() => void shutDown(0), idleMs);
const addresses = async () => ({
  MONGODB_URI: env.MONGODB_URI,
  TEMPORAL_ADDRESS: env.TEMPORAL_ADDRESS,
  TEMPORAL_UI_URL: env.TEMPORAL_UI_URL,
  TEST_DATABASES: env.TEST_DATABASES,
  TEST_SERVICE: env.TEST_SERVICE,
  ...(await testBundles()),
});
const control = createServer((_request, response) => {
  idle.refresh();
  addresses().then(
    (found) => response.end(JSON.stringify(found)),
    (error: Error) => response.writeHead(500).end(error.message),
  );
}).listen(0, '127.0.0.1');
await once(control, 'listening');
const part = `${file}.${process.pid}.part`;
writeFileSync(part, JSON.stringify({ url: `http://127.0.0.1:${portOf(control)}/` }));
renameSync(part, file);
await Promise.race([stopped, servers.lost]);
await shutDown(0);

/** Changes with every change of the service's sources. */
function sourcesVersion(): string {
  const times = globSync(sources, { cwd: root }).map((one) => statSync(join(root, one)).mtimeMs);
  return String(Math.max(...times));
}
