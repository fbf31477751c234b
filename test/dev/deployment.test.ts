import { readdir, readFile } from 'node:fs/promises';
import test from 'ava';
import { parse } from 'yaml';

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFile(new URL(path, root), 'utf8');

const composeText = await read('docker-compose.yml');
const compose = parse(composeText, { merge: true });
const dockerfile = await read('Dockerfile');
const shipped = [...dockerfile.matchAll(/^COPY (\S+) \.\/\1$/gm)].map(([, folder]) => folder ?? '');

test('every variable of docker-compose.yml stands in .env.example', async (t) => {
  const example = await read('.env.example');
  const names = new Set([...composeText.matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => name));
  t.true(names.has('MASTER_KEYS'));
  for (const name of names) t.regex(example, new RegExp(`^(# )?${name}=`, 'm'));
});

test('API, worker and migrate are separate services of one image, run by node itself', (t) => {
  const { api, worker, migrate } = compose.services;
  t.deepEqual(api.command, ['node', 'api/server.ts']);
  t.deepEqual(worker.command, ['node', 'worker/worker.ts']);
  t.deepEqual(migrate.command, ['node', 'cli/migrate.ts']);
  for (const { image, environment } of [api, worker, migrate]) {
    t.is(image, 'partner-purchase-events');
    t.regex(environment.MASTER_KEYS, /^\$\{MASTER_KEYS:\?/);
  }
});

test('the operators’ API is published on the loopback address, and needs two unless it is told otherwise', (t) => {
  const { ports, environment } = compose.services.api;
  t.true(ports.includes(`\${ADMIN_BIND:-127.0.0.1:3002}:3002`));
  t.is(environment.FOUR_EYES, `\${FOUR_EYES:-on}`);
});

test('what keeps running restarts and has a health check; what runs once does not start again', (t) => {
  for (const name of ['api', 'worker', 'mongodb', 'postgresql', 'temporal']) {
    t.is(compose.services[name].restart, 'unless-stopped', name);
    t.truthy(compose.services[name].healthcheck.test, name);
  }
  for (const name of ['migrate', 'temporal-schema', 'temporal-namespace']) {
    t.regex(compose.services[name].restart, /^on-failure/, name);
  }
});

test('every service waits for services that exist, on a condition', (t) => {
  for (const service of Object.values<{ depends_on?: object }>(compose.services)) {
    for (const [name, { condition }] of Object.entries(service.depends_on ?? {})) {
      t.truthy(compose.services[name], name);
      t.regex(condition, /^service_(healthy|completed_successfully)$/);
    }
  }
});

test('what the image holds imports nothing beyond the image and the run-time dependencies', async (t) => {
  const { dependencies } = JSON.parse(await read('package.json'));
  t.true(shipped.includes('api'));
  for (const folder of shipped) {
    const files = await readdir(new URL(folder, root), { recursive: true });
    for (const file of files.filter((name) => name.endsWith('.ts'))) {
      const url = new URL(`${folder}/${file}`, root);
      const source = await readFile(url, 'utf8');
      for (const [statement, from = ''] of source.matchAll(
        /^(?:import|export)[^;]* from '([^']+)'/gm,
      )) {
        if (statement.startsWith('import type') || from.startsWith('node:')) continue;
        if (from.startsWith('.')) {
          const target =
            new URL(from, url).pathname.slice(root.pathname.length).split('/')[0] ?? '';
          t.true(shipped.includes(target), `${folder}/${file} imports ${from}`);
        } else {
          const name = from
            .split('/')
            .slice(0, from.startsWith('@') ? 2 : 1)
            .join('/');
          t.true(name in dependencies, `${folder}/${file} imports ${from}`);
        }
      }
    }
  }
});
