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

test('Prometheus and Grafana are there on demand alone, and find what they take', async (t) => {
  for (const name of ['prometheus', 'grafana']) {
    const { profiles, volumes, ports } = compose.services[name];
    t.deepEqual(profiles, ['observability'], name);
    for (const port of ports) t.regex(port, /:-127\.0\.0\.1:/, 'reached from this machine alone');
    const folders = volumes.map((volume: string) => volume.split(':')[0]);
    for (const folder of folders.filter((from: string) => from.startsWith('./'))) {
      t.true((await readdir(new URL(folder, root))).length > 0, folder);
    }
  }
  const { rule_files, scrape_configs } = parse(await read('ops/prometheus/prometheus.yml'));
  for (const file of rule_files) t.truthy(parse(await read(`ops/prometheus/${file}`)).groups);
  for (const { job_name, dns_sd_configs } of scrape_configs) {
    const { environment } = compose.services[job_name];
    t.is(environment.METRICS_HOST, '0.0.0.0');
    t.deepEqual(dns_sd_configs, [{ names: [job_name], type: 'A', port: environment.METRICS_PORT }]);
  }
});

test('every alert says whom it wakes, what it means and what to do', async (t) => {
  const { groups } = parse(await read('ops/prometheus/alerts.yml'));
  const rules = groups.flatMap((group: { rules: object[] }) => group.rules);
  t.true(rules.length > 15);
  t.is(new Set(rules.map(({ alert }: { alert: string }) => alert)).size, rules.length);
  for (const { alert, expr, labels, annotations } of rules) {
    t.truthy(expr, alert);
    t.regex(labels.severity, /^(page|ticket)$/, alert);
    for (const says of ['summary', 'meaning', 'action']) t.truthy(annotations[says], alert);
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
