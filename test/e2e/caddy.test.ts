import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { parse } from 'yaml';
import { throwawayFolder } from '../../dev/test/throwaway-folder.ts';
import { goProgram } from '../../dev/tools/go.ts';
import { unavailable } from '../../domain/errors.ts';

const run = promisify(execFile);

/** Names as Docker resolves them. */
const hosts = '127.0.0.1 localhost api.localhost api portal\n';

/** Caddy in the version of docker-compose.yml. */
async function buildCaddy(): Promise<string> {
  const compose = await readFile(new URL('../../docker-compose.yml', import.meta.url), 'utf8');
  const version = `v${parse(compose, { merge: true }).services.caddy.image.split(':')[1]}`;
  const module = 'github.com/caddyserver/caddy/v2';
  return await goProgram('caddy', { module, program: 'cmd/caddy', version });
}

test('the front door waits for an API, sends nothing twice, and responds in its place as the service does', async (t) => {
  // The first run builds Caddy from source.
  t.timeout(20 * 60_000);
  const caddy = await buildCaddy();
  const folder = await mkdtemp(join(throwawayFolder(), 'caddy-'));
  t.teardown(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'hosts'), hosts);
  const program = new URL('helpers/front-door.ts', import.meta.url).pathname;
  // In a network of its own, where every port is free.
  const apart = ['--net', '--mount', '--pid', '--fork', '--kill-child'];
  const asRoot = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
  const script =
    'ip link set lo up && mount --bind "$1/hosts" /etc/hosts && exec "$2" "$3" "$4" "$1"';
  const { stdout } = await run('unshare', [
    ...[...asRoot, ...apart, 'sh', '-c', script, 'sh'],
    ...[folder, process.execPath, program, caddy],
  ]);
  const { forwarded, waited, received, cutOff, without, isAdminOpen } = JSON.parse(stdout);

  t.like(forwarded, { status: 200, body: 'a page', otherProtocol: null });
  t.is(waited.status, 200, 'a request waits for an API that starts');
  t.is(JSON.parse(waited.body)['x-forwarded-for'], '127.0.0.1');
  t.is(received, 2, 'a request that was sent is not sent again');
  const { code, message, headers, status } = unavailable();
  const ours = {
    status,
    retryAfter: headers?.['Retry-After'],
    type: 'application/json; charset=utf-8',
    body: JSON.stringify({ error: { code, message } }),
  };
  t.like(cutOff, ours);
  t.like(without, ours);
  t.false(isAdminOpen);
});
