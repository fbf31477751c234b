import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { parse } from 'yaml';
import { throwawayFolder } from '../../dev/test/throwaway-folder.ts';
import { collisions, type Resolved } from '../../prove/compose/collisions.ts';

const root = new URL('../../', import.meta.url);
const composeText = await readFile(new URL('docker-compose.yml', root), 'utf8');
const page = await readFile(new URL('docs/operate/install.md', root), 'utf8');

/** What setup writes to .env for a domain. */
async function settingsOf(t: ExecutionContext, domain: string): Promise<Record<string, string>> {
  const folder = await mkdtemp(join(throwawayFolder(), 'two-installations-'));
  t.teardown(() => rm(folder, { recursive: true }));
  await cp(new URL('deploy/compose', root), join(folder, 'deploy/compose'), { recursive: true });
  const setUp = join(folder, 'deploy/compose/setup');
  await promisify(execFile)(setUp, ['--cluster', domain, 'ada@shop.example']);
  const text = await readFile(join(folder, '.env'), 'utf8');
  return Object.fromEntries(
    [...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  );
}

/** As Compose reads docker-compose.yml with these settings, in every profile. */
function resolved(settings: Record<string, string>): Resolved {
  const text = composeText.replaceAll(
    /(?<!\$)\$\{(\w+)(?::-([^}]*))?\}/g,
    (_, name, otherwise = '') => settings[name] || otherwise,
  );
  const { services, networks, volumes } = parse(text, { merge: true });
  const name = settings.COMPOSE_PROJECT_NAME ?? '';
  const withNames = (all: Record<string, object | null>) =>
    Object.fromEntries(
      Object.entries(all).map(([key, own]) => [key, { name: `${name}_${key}`, ...own }]),
    );
  for (const service of Object.values<{ ports?: unknown[] }>(services)) {
    service.ports = (service.ports ?? []).map((port) => {
      const [published, host_ip] = String(port).split(':').toReversed().slice(1);
      return { published, host_ip };
    });
  }
  return { name, services, networks: withNames(networks), volumes: withNames(volumes) };
}

test('two installations on one machine share nothing but what the page says to change', async (t) => {
  const first = await settingsOf(t, 'rewards.example.com');
  const second = await settingsOf(t, 'rewards.example.org');
  const bound = [
    ...new Set([...composeText.matchAll(/\$\{(\w+_BIND):-/g)].map(([, name = '']) => name)),
  ];
  t.true(bound.length >= 7);
  // As setup leaves them, it is the ports alone.
  for (const what of collisions(resolved(first), resolved(second))) t.regex(what, /^port /);

  const [, list = ''] = /\*\*Two installations on one machine\*\*[^(]*\(([^)]*)\)/.exec(page) ?? [];
  const named = [...list.matchAll(/`(\w+_BIND)`/g)].map(([, name]) => name);
  t.deepEqual(named.toSorted(), bound.toSorted());
  const moved = Object.fromEntries(bound.map((name, nth) => [name, `127.0.0.1:${4_000 + nth}`]));
  t.deepEqual(collisions(resolved(first), resolved({ ...second, ...moved })), []);
});

test('what two installations cannot both have is found', (t) => {
  const one: Resolved = {
    name: 'one',
    services: {
      api: { image: 'one', build: {}, ports: [{ host_ip: '127.0.0.1', published: '80' }] },
    },
    networks: { data: { name: 'one_data' } },
    volumes: { data: { name: 'one_data' } },
  };
  const other: Resolved = {
    name: 'other',
    services: {
      api: { image: 'other', build: {}, ports: [{ host_ip: '127.0.0.2', published: '80' }] },
    },
    networks: { data: { name: 'other_data' } },
    volumes: { data: { name: 'other_data' } },
  };
  t.deepEqual(collisions(one, other), []);
  const { services, networks, volumes } = one;
  const cases: [Partial<Resolved>, string][] = [
    [{ name: 'one' }, 'project one'],
    [{ networks }, 'network one_data'],
    [{ volumes }, 'volume one_data'],
    [{ services: { api: { image: 'one', build: {} } } }, 'image one'],
    [{ services: { api: { ports: services.api?.ports ?? [] } } }, 'port 127.0.0.1:80'],
    [{ services: { api: { ports: [{ published: '80' }] } } }, 'port 127.0.0.1:80'],
    [
      { networks: { data: { name: 'fixed', ipam: { config: [{ subnet: '10.0.0.0/24' }] } } } },
      'address range of fixed',
    ],
  ];
  for (const [same, what] of cases) t.deepEqual(collisions(one, { ...other, ...same }), [what]);
  const named = (it: Resolved) => ({ ...it, services: { api: { container_name: 'api' } } });
  t.deepEqual(collisions(named(one), named(other)), ['container api']);
});
