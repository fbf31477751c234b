import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { promisify } from 'node:util';
import { Ajv } from 'ajv';
import test from 'ava';
import { parse } from 'yaml';
import { chartSchema } from '../../dev/make-docs.ts';
import { dynamicConfig } from '../../dev/servers/temporal.ts';
import { throwawayFolder } from '../../dev/test/throwaway-folder.ts';
import { unavailable } from '../../domain/errors.ts';
import { variables } from '../../platform/config.ts';
import { workerCommand } from '../../worker/command.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFile(new URL(path, root), 'utf8');

const composeText = await read('docker-compose.yml');
const compose = parse(composeText, { merge: true });
/** Of its own for each installation on a machine. */
const ownImage = `\${IMAGE:-partner-events}`;
const dockerfile = await read('Dockerfile');
const packageJson = JSON.parse(await read('package.json'));
const shipped = [...dockerfile.matchAll(/^COPY (\S+) \.\/\1$/gm)].map(([, folder]) => folder ?? '');

test('every variable of docker-compose.yml is in .env.example', async (t) => {
  const example = await read('.env.example');
  const names = new Set([...composeText.matchAll(/(?<!\$)\$\{([A-Z_]+)/g)].map(([, name]) => name));
  t.true(names.has('DOMAIN'));
  for (const name of names) t.regex(example, new RegExp(`^(# )?${name}=`, 'm'));
});

test('API, portal, worker and migrate are separate services of one image, run by node itself', (t) => {
  const { api, portal, worker, migrate } = compose.services;
  t.deepEqual(portal.command, ['node', 'portal/server.ts']);
  t.deepEqual(api.command, ['node', 'api/server.ts']);
  t.deepEqual(worker.command, ['node', ...workerCommand]);
  t.true(packageJson.scripts.worker.endsWith(workerCommand.join(' ')));
  t.deepEqual(migrate.command, ['node', 'cli/migrate.ts']);
  for (const { image, environment } of [api, portal, worker, migrate]) {
    t.is(image, ownImage);
    t.is(environment.MASTER_KEYS_FILE, '/run/secrets/master_keys');
  }
});

test('the portal and the API are reached through Caddy alone, and emails are stored if there is no mail server', async (t) => {
  const { portal, api, caddy } = compose.services;
  t.is(portal.ports, undefined);
  for (const [service, port] of [
    [api, 3000],
    [portal, 3001],
  ]) {
    t.true(service.networks.includes('calls'));
    t.regex(await read('deploy/caddy/Caddyfile'), new RegExp(`\\b${port}\\b`));
  }
  t.deepEqual(Object.keys(caddy.networks), ['edge', 'calls']);
  for (const { volumes, environment } of [portal, api]) {
    t.true(volumes.includes('messages:/data/messages'));
    t.is(environment.PORTAL_URL, `https://\${DOMAIN:-localhost}`);
    t.is(environment.TRUST_PROXY, `\${TRUST_PROXY:-1}`);
  }
  const { host, pathname } = new URL(portal.environment.PORTAL_API_URL);
  t.deepEqual([host, pathname], ['api:3000', '/']);
  t.true(compose.networks.calls.internal);
});

test('no secret is in the environment, and each process has only its own address of MongoDB', (t) => {
  const { services, secrets } = compose;
  const isSecret = (name: string) => variables[name as keyof typeof variables]?.isSecret === true;
  for (const [name, service] of Object.entries<Record<string, never>>(services)) {
    const { environment = {}, secrets: mounted = [] } = service;
    for (const [variable, value] of Object.entries<string>(environment)) {
      const looksSecret = /(PASSWORD|PWD|_KEYS?)$/.test(variable) && !String(value).startsWith('/');
      t.false(isSecret(variable) || looksSecret, `${name}: ${variable}`);
      const [, file] = /^\/run\/secrets\/(.+)$/.exec(value) ?? [];
      if (file !== undefined) t.true((mounted as string[]).includes(file), `${name}: ${file}`);
    }
    for (const one of mounted as string[]) t.truthy(secrets[one], `${name}: ${one}`);
  }
  for (const name of ['api', 'portal', 'worker', 'migrate']) {
    const uris = services[name].secrets.filter((one: string) => one.startsWith('mongodb_uri'));
    t.deepEqual(uris, [`mongodb_uri_${name}`]);
  }
});

test('setup writes every secret, once, with a password of its own for each', async (t) => {
  const folder = await mkdtemp(join(throwawayFolder(), 'setup-'));
  t.teardown(() => rm(folder, { recursive: true }));
  await cp(new URL('deploy/compose', root), join(folder, 'deploy/compose'), { recursive: true });
  const setUp = (...args: string[]) =>
    promisify(execFile)(join(folder, 'deploy/compose/setup'), args);
  for (const wrong of [[], ['shop.example'], ['Shop Example', 'ada@shop.example']]) {
    await t.throwsAsync(setUp(...wrong), { code: 2 } as never);
  }
  await setUp('--cluster', 'shop.example', 'ada@shop.example');
  const written = await readdir(join(folder, 'secrets'));
  t.deepEqual(written.toSorted(), Object.keys(compose.secrets).toSorted());
  const texts = await Promise.all(
    written.map((name) => readFile(join(folder, 'secrets', name), 'utf8')),
  );
  const used = texts.filter((text) => text !== 'none');
  t.is(new Set(used).size, used.length);
  t.is((await stat(join(folder, 'secrets'))).mode & 0o777, 0o700);
  const names = compose.services['mongodb-users'].environment.MONGODB_HOSTS;
  const settings = await readFile(join(folder, '.env'), 'utf8');
  t.regex(settings, /^MONGODB_HOSTS=mongodb:27017,mongodb-2/m);
  // Two installations on one machine share neither containers nor an image.
  t.regex(
    settings,
    /^COMPOSE_PROJECT_NAME=partner-events-shop-example\nIMAGE=partner-events-shop-example$/m,
  );
  t.regex(names, /^\$\{MONGODB_HOSTS:-/);
  await t.throwsAsync(setUp('shop.example', 'ada@shop.example'), { code: 1 } as never);
});

test('the operators’ API is published on the loopback address, and approvals are on by default', (t) => {
  const { ports, environment } = compose.services.api;
  t.true(ports.includes(`\${ADMIN_BIND:-127.0.0.1:3002}:3002`));
  t.is(environment.FOUR_EYES, `\${FOUR_EYES:-on}`);
});

test('long-running services restart and have a health check; one-off services do not restart after success', (t) => {
  for (const name of ['api', 'portal', 'worker', 'mongodb', 'postgresql', 'temporal']) {
    t.is(compose.services[name].restart, 'unless-stopped', name);
    const { test: check } = compose.services[name].healthcheck;
    t.truthy(check, name);
    t.notRegex(JSON.stringify(check), /\b(node|mongosh)\b/, 'checks cost nothing when idle');
  }
  for (const name of ['migrate', 'temporal-schema', 'mongodb-users']) {
    t.regex(compose.services[name].restart, /^on-failure/, name);
  }
});

test('the build context contains each folder that the image copies', async (t) => {
  const given = new Set((await read('.dockerignore')).split('\n'));
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \.\/\S*$/gm)].flatMap(
    ([, sources = '']) => sources.split(' ').map((source) => source.split('/')[0] ?? ''),
  );
  t.true(copied.length > 15);
  for (const source of copied) t.true(given.has(`!${source}`), source);
});

test('the image contains every license: the service’s own, that of Node, and those of all packages', (t) => {
  t.regex(dockerfile, /^COPY .*\bLICENSE\b.* \.\/$/m);
  t.regex(dockerfile, /^COPY --from=made .*\/LICENSE-node .*\.\/$/m);
  t.regex(dockerfile, /^COPY --from=made .*\/busybox-static\/copyright \.\/LICENSE-busybox$/m);
  const deleting = dockerfile
    .replaceAll('\\\n', '')
    .matchAll(/find node_modules(\S*) -type f ([^&\n]*)-delete/g);
  const conditions = [...deleting].map(([, folder, condition = '']) => ({ folder, condition }));
  t.true(conditions.length > 2);
  for (const { folder, condition } of conditions) {
    // Of all packages only code is deleted, and of a single one everything but what is named.
    if (folder === '') t.notRegex(condition, /LICENSE|\.md|\.txt/);
    else t.true(condition.includes("! -name 'LICENSE*'"), folder);
  }
});

test('the script that bundles the workflows is copied, with its imports, before it runs', async (t) => {
  const script = 'deploy/docker/bundle-workflows.ts';
  const [before = ''] = dockerfile.split(`RUN node ${script}`);
  const imported = [...(await read(script)).matchAll(/from '(\.[^']+)'/g)].map(
    ([, specifier = '']) => posix.join(posix.dirname(script), specifier),
  );
  t.true(imported.length > 0);
  for (const file of [script, ...imported]) t.true(before.includes(`COPY ${file} ./`), file);
});

test('each container has limits for memory and processes', (t) => {
  for (const [name, service] of Object.entries<Record<string, unknown>>(compose.services)) {
    t.truthy(service.mem_limit, name);
    t.truthy(service.pids_limit, name);
  }
});

test('the Temporal UI is read-only, and Grafana has no default password', (t) => {
  const { 'temporal-ui': ui, grafana } = compose.services;
  t.is(ui.environment.TEMPORAL_DISABLE_WRITE_ACTIONS, 'true');
  t.is(grafana.environment.GF_SECURITY_ADMIN_PASSWORD__FILE, '/run/secrets/grafana_password');
});

test('the cluster profile has three MongoDB members, two APIs under one name behind TLS, and two workers', async (t) => {
  const { services } = compose;
  const ofCluster = Object.keys(services).filter((name) =>
    services[name].profiles?.includes('cluster'),
  );
  t.deepEqual(ofCluster.toSorted(), [
    ...['api-2', 'mongodb-2', 'mongodb-3', 'mongodb-members', 'worker-2'],
  ]);
  for (const [second, first] of [
    ['api-2', 'api'],
    ['worker-2', 'worker'],
  ] as const) {
    t.deepEqual(services[second].command, services[first].command);
    t.deepEqual(services[second].networks.metrics.aliases, [first]);
  }
  t.deepEqual(services['api-2'].ports, []);
  t.deepEqual(services['api-2'].networks.calls.aliases, ['api']);
  const members = await read('deploy/mongodb/members.js');
  for (const name of ['mongodb-2', 'mongodb-3']) t.true(members.includes(`'${name}:27017'`));
  t.regex(await read('deploy/caddy/Caddyfile'), /dynamic a api 3000/);
});

test('every service depends on existing services, with a condition', (t) => {
  for (const service of Object.values<{ depends_on?: object }>(compose.services)) {
    for (const [name, { condition }] of Object.entries(service.depends_on ?? {})) {
      t.truthy(compose.services[name], name);
      t.regex(condition, /^service_(healthy|completed_successfully)$/);
    }
  }
});

test('Prometheus and Grafana start only on demand, and their files exist', async (t) => {
  for (const name of ['prometheus', 'alertmanager', 'grafana']) {
    const { profiles, volumes, ports } = compose.services[name];
    t.deepEqual(profiles, ['observability'], name);
    for (const port of ports) t.regex(port, /:-127\.0\.0\.1:/, 'reachable only from this machine');
    const folders = volumes.map((volume: string) => volume.split(':')[0]);
    for (const folder of folders.filter((from: string) => from.startsWith('.//'))) {
      t.true((await readdir(new URL(folder, root))).length > 0, folder);
    }
  }
  const { rule_files, scrape_configs } = parse(await read('deploy/prometheus/prometheus.yml'));
  for (const file of rule_files) t.truthy(parse(await read(`deploy/prometheus/${file}`)).groups);
  for (const { job_name, dns_sd_configs, relabel_configs } of scrape_configs) {
    const { environment } = compose.services[job_name];
    t.is(environment.ADMIN_HOST, '0.0.0.0');
    t.deepEqual(dns_sd_configs, [{ names: [job_name], type: 'A', port: environment.METRICS_PORT }]);
    t.deepEqual(relabel_configs, [{ target_label: 'partner_events', replacement: '$DOMAIN' }]);
  }
});

test('every alert says whom it notifies, what it means and what to do', async (t) => {
  const { groups } = parse(await read('deploy/prometheus/alerts.yml'));
  const rules = groups.flatMap(({ rules }: { rules: { alert?: string }[] }) =>
    rules.filter(({ alert }) => alert !== undefined),
  );
  t.true(rules.length > 15);
  t.is(new Set(rules.map(({ alert }: { alert: string }) => alert)).size, rules.length);
  for (const { alert, expr, labels, annotations } of rules) {
    t.truthy(expr, alert);
    t.regex(labels.severity, /^(page|ticket)$/, alert);
    for (const says of ['summary', 'meaning', 'action']) t.truthy(annotations[says], alert);
  }
});

test('MongoDB, PostgreSQL and Temporal are on internal networks, apart from the API’s', (t) => {
  const { services, networks } = compose;
  const outside = Object.keys(networks).filter((name) => !networks[name]?.internal);
  for (const name of ['mongodb', 'postgresql', 'temporal']) {
    t.true(services[name].networks.length > 0, name);
    for (const network of services[name].networks) t.true(networks[network].internal, name);
    t.is(services[name].ports, undefined, name);
  }
  t.deepEqual(services.mongodb.networks, ['data']);
  t.false(services.temporal.networks.includes('data'));
  t.false(services['temporal-ui'].networks.includes('data'));
  // Only Temporal's server and schema set-up can reach PostgreSQL.
  for (const name of ['api', 'portal', 'worker', 'migrate', 'temporal-ui']) {
    t.false(services[name].networks.includes('engine-data'), name);
  }
  // Networks are a list of names, or an object if one has an alias.
  const networksOf = (name: string): string[] =>
    Array.isArray(services[name].networks)
      ? services[name].networks
      : Object.keys(services[name].networks);
  for (const name of outside) {
    const members = Object.keys(services).filter((one) => networksOf(one).includes(name));
    t.is(members.length, 1, `${name} connects no two services`);
  }
});

test('no container has or gains capabilities, and file systems are read-only where possible', (t) => {
  for (const [name, service] of Object.entries<Record<string, unknown>>(compose.services)) {
    t.deepEqual(service.cap_drop, ['ALL'], name);
    t.deepEqual(service.security_opt, ['no-new-privileges:true'], name);
    if (!['prometheus', 'grafana'].includes(name)) t.true(service.read_only, name);
  }
});

test('MongoDB requires authentication, and each process has its own user with only the rights it needs', async (t) => {
  const { services } = compose;
  t.regex(services.mongodb.command[0], /--keyFile \/tmp\/key/);
  const { environment, command, volumes, depends_on, restart } = services['mongodb-users'];
  t.deepEqual(volumes, ['./deploy/mongodb:/mongodb:ro']);
  t.is(environment.MONGODB_RIGHTS, '/mongodb/rights.json');
  t.deepEqual(command, ['/mongodb/replica-set.js', '/mongodb/users.js']);
  t.deepEqual(Object.keys(depends_on), ['mongodb']);
  t.regex(restart, /^on-failure/);
  // A new version has its rights before any of its processes runs.
  t.is(services.migrate.depends_on['mongodb-users'].condition, 'service_completed_successfully');
  for (const name of ['api', 'portal', 'worker']) t.truthy(services[name].depends_on.migrate);
});

test('the chart gives each process its own MongoDB address, and no other’s', async (t) => {
  const { secret } = parse(await read('deploy/chart/values.yaml'));
  t.deepEqual(Object.keys(secret.mongodbUris), ['api', 'portal', 'worker', 'migrate']);
  t.is(new Set(Object.values(secret.mongodbUris)).size, 4);
  const helpers = await read('deploy/chart/templates/_helpers.tpl');
  t.regex(
    helpers,
    /- { key: {{ index \$values\.secret\.mongodbUris \(ternary "api" \.part \(eq \.part "backup"\)\) }}, path: MONGODB_URI }/,
  );
  for (const name of Object.keys(secret.mongodbUris)) {
    t.regex(await read(`deploy/chart/templates/${name}.yaml`), new RegExp(`"part" "${name}"`));
    for (const key of Object.values(secret.mongodbUris)) t.false(secret.keys.includes(key));
  }
});

test('Temporal requires client certificates, and each client has one', async (t) => {
  const { services, volumes } = compose;
  const { environment } = services.temporal;
  t.is(environment.TEMPORAL_TLS_REQUIRE_CLIENT_AUTH, 'true');
  const files = Object.entries<string>(environment).filter(([name]) => /_(CERT|KEY)$/.test(name));
  t.is(files.length, 7);
  for (const [name, path] of files)
    t.regex(path, /^\/data\/temporal-server\/[\w-]+\.(pem|key)$/, name);

  const client = 'temporal-client:/data/temporal-client:ro';
  for (const name of ['api', 'api-2', 'portal', 'worker', 'worker-2', 'migrate']) {
    const own = services[name].environment;
    t.true(services[name].volumes.includes(client), name);
    t.deepEqual(
      ['CA', 'CERT', 'KEY'].map((file) => own[`TEMPORAL_TLS_${file}_FILE`]),
      ['ca.pem', 'client.pem', 'client.key'].map((file) => `/data/temporal-client/${file}`),
    );
  }
  t.deepEqual(services['temporal-ui'].volumes, [client]);
  t.regex(JSON.stringify(services['temporal-ui']), /\/data\/temporal-client\/client\.key/);
  t.is(services['temporal-ui'].environment.TEMPORAL_TLS_ENABLE_HOST_VERIFICATION, 'true');

  // Only Temporal has the server's certificates, and their issuer is alone on its network.
  const holders = Object.keys(services).filter((name) =>
    services[name].volumes?.some((one: string) => one.startsWith('temporal-server:')),
  );
  t.deepEqual(holders, ['temporal-certificates', 'temporal']);
  t.deepEqual(services['temporal-certificates'].networks, ['certificates']);
  t.true(compose.networks.certificates.internal);
  const members = Object.values<{ networks: unknown }>(services).filter(({ networks }) =>
    JSON.stringify(networks).includes('certificates'),
  );
  t.is(members.length, 1);
  t.is(services['temporal-certificates'].environment, undefined);
  for (const name of ['temporal-server', 'temporal-client']) t.true(name in volumes);
  // A volume takes over the owner of a folder in the image; its issuer writes to these as root.
  t.false(/data\/temporal/.test(dockerfile));
  t.regex(dockerfile, /COPY --from=made --chown=1000:1000 \/app\/data \/data/);
});

test('every value of the chart has a default, and a description in the schema', async (t) => {
  interface Schema {
    description?: string;
    properties?: Record<string, Schema>;
  }
  const schema: Schema = JSON.parse(await read('deploy/chart/values.schema.json'));
  const values = parse(await read('deploy/chart/values.yaml'));
  let described = 0;
  const walk = ({ properties = {} }: Schema, value: Record<string, unknown>, path: string) => {
    for (const [name, one] of Object.entries(properties)) {
      // Values that a parent chart shares have no default here.
      if (name === 'global') continue;
      const at = `${path}${name}`;
      t.regex(one.description ?? '', /\.$/, at);
      t.true(name in value, at);
      described += 1;
      if (one.properties) walk(one, value[name] as Record<string, unknown>, `${at}.`);
    }
    if (path !== '') t.deepEqual(Object.keys(value).toSorted(), Object.keys(properties).toSorted());
  };
  walk(schema, values, '');
  t.true(described > 50);
});

test('the chart refuses to install without authentication at Temporal', async (t) => {
  const schema = JSON.parse(await read('deploy/chart/values.schema.json'));
  const values = parse(await read('deploy/chart/values.yaml'));
  const accepts = new Ajv({ strict: false }).compile({ ...schema, $schema: undefined });
  const withKeys = (...keys: string[]) => {
    const needed = ['MASTER_KEYS', 'CUSTOMER_HASH_KEY', 'SMTP_URL'];
    return { ...values, secret: { ...values.secret, keys: [...needed, ...keys] } };
  };
  t.true(accepts(values), JSON.stringify(accepts.errors));
  t.true(accepts(withKeys('TEMPORAL_API_KEY')));
  t.false(accepts(withKeys()));
  t.false(accepts(withKeys('TEMPORAL_TLS_CERT')));
  t.true(accepts({ ...withKeys(), temporalSecuredElsewhere: true }));
  t.false(
    accepts(withKeys('TEMPORAL_API_KEY', 'MONGODB_URI')),
    'each process has its own MongoDB address',
  );
});

test('the image declares every port that its processes listen on', (t) => {
  const exposed = /^EXPOSE (.+)$/m.exec(dockerfile)?.[1]?.split(' ') ?? [];
  interface Ours {
    image: string;
    ports?: string[];
    environment?: { METRICS_PORT?: number };
  }
  const { services } = compose;
  const ours = Object.values<Ours>(services).filter(({ image }) => image === ownImage);
  const listening = ours.flatMap(({ ports = [], environment }) => [
    ...ports.map((port) => port.split(':').at(-1) ?? port),
    ...(environment?.METRICS_PORT ? [String(environment.METRICS_PORT)] : []),
  ]);
  t.true(listening.length > 3);
  for (const port of [...listening, '3000', '3001']) t.true(exposed.includes(port), port);
});

test('Temporal, embedded too, is sized for bursts and shares its queue fairly', async (t) => {
  const { temporal } = compose.services;
  t.is(temporal.environment.NUM_HISTORY_SHARDS, 512);
  const settings = parse(await read('deploy/docker/temporal-dynamic-config.yaml'));
  const names = dynamicConfig.map((setting) => setting.split('=')[0] ?? '');
  t.deepEqual(Object.keys(settings).toSorted(), names.toSorted());
  t.deepEqual(settings['matching.enableFairness'], [{ value: true }]);
  t.true(dynamicConfig.includes('matching.enableFairness=true'));
  const tags = Object.values<{ image: string }>(compose.services)
    .map(({ image }) => image)
    .filter((image) => /temporalio\/(server|admin-tools)/.test(image))
    .map((image) => image.split(':')[1]);
  t.is(new Set(tags).size, 1);
});

test('every configuration variable can be set in docker-compose.yml', async (t) => {
  // Set by the file itself or by the image, not meant for a container, or of Kubernetes.
  const fixed =
    /^(TEMPORAL_|HOST|PORT|MESSAGE_DIR|WORKFLOW_BUNDLE|COMMAND_BUNDLE|CLIENT_PACKAGES|WORKER_|VAULT_(ROLE|JWT_FILE)$)|_PORT$|^ADMIN_/;
  const names = Object.keys(variables);
  t.true(names.length > 20);
  for (const name of names) {
    if (fixed.test(name)) continue;
    const inFile = variables[name as keyof typeof variables].isSecret ? `${name}_FILE` : name;
    t.true(inFile in compose.services.api.environment, name);
  }
});

test('code in the image imports only what the image contains and its run-time dependencies', async (t) => {
  const { dependencies } = JSON.parse(await read('package.json'));
  t.true(shipped.includes('api'));
  const ignored = (await read('.dockerignore')).split('\n').filter((line) => /^\w/.test(line));
  for (const folder of shipped) {
    const files = await readdir(new URL(folder, root), { recursive: true });
    const isIgnored = (name: string) =>
      ignored.some((path) => `${folder}/${name}`.startsWith(`${path}/`));
    for (const file of files.filter((name) => name.endsWith('.ts') && !isIgnored(name))) {
      const url = new URL(`${folder}/${file}`, root);
      const source = await readFile(url, 'utf8');
      for (const [statement, from = ''] of source.matchAll(
        /^(?:import|export)[\w\s{}*,$]* from '([^']+)'/gm,
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

test('the image keeps each weight of the type face that its code opens', async (t) => {
  const sources = ['portal/assets/load.ts', 'models/billing/pdf-sheet.ts'];
  const texts = (await Promise.all(sources.map(read))).join('\n');
  const opened = [...texts.matchAll(/fontOf\('(\d+\w+)/g)].map(([, weight]) => weight ?? '');
  const kept = [...dockerfile.matchAll(/! -name '\*_(\w+)\.ttf'/g)].map(
    ([, weight]) => weight ?? '',
  );
  t.deepEqual([...new Set(opened)].toSorted(), kept.toSorted());
});

test('what proves something outside the database is on a volume, which only our processes write to', (t) => {
  const { services, volumes } = compose;
  t.true('audit' in volumes);
  const holders = Object.keys(services).filter((name) =>
    services[name].volumes?.includes('audit:/data/audit'),
  );
  t.deepEqual(holders, ['api', 'portal', 'worker', 'api-2', 'worker-2']);
  for (const name of holders) {
    t.is(services[name].environment.AUDIT_LOG, `\${AUDIT_LOG:-/data/audit/audit.log}`);
  }
  // The volume takes over the owner of the folder in the image.
  t.regex(dockerfile, /mkdir -p data\/messages data\/audit/);
});

test('where no API takes a request, Caddy gives the service’s own response', async (t) => {
  const caddyfile = await read('deploy/caddy/Caddyfile');
  const [api = ''] = caddyfile.split('{$PORTAL_SITE}');
  const { code, message, headers, status } = unavailable();
  t.regex(api, /handle_errors 502 503 504 {/);
  const [, body = '', sent] = /respond `(.+)` (\d+)/.exec(api) ?? [];
  t.deepEqual(JSON.parse(body), { error: { code, message } });
  t.is(sent, String(status));
  t.regex(api, new RegExp(`header Retry-After ${headers?.['Retry-After']}$`, 'm'));
  t.regex(api, /header Content-Type "application\/json; charset=utf-8"/);
});

test('the chart’s schema has the names of all variables, so that a misspelt one is refused', async (t) => {
  const schema = JSON.parse(await read('deploy/chart/values.schema.json'));
  t.deepEqual(schema, chartSchema(), 'npm run make -- docs');
  const values = parse(await read('deploy/chart/values.yaml'));
  const accepts = new Ajv({ strict: false }).compile({ ...schema, $schema: undefined });
  const having = (name: string) => ({ ...values, config: { ...values.config, [name]: 'text' } });
  for (const right of ['MAIL_FROM', 'OTEL_TRACES_SAMPLER', 'AUDIT_LOG'])
    t.true(accepts(having(right)));
  for (const wrong of [
    'MAIL_FORM',
    'SMTP_URL',
    'PORT',
    'ADMIN_HOST',
    'OTEL_EXPORTER_OTLP_HEADERS',
    'mail_from',
  ]) {
    t.false(accepts(having(wrong)), wrong);
  }
});

test('two installations on one machine share no name, and every port can be another', (t) => {
  interface Named {
    name?: string;
    external?: boolean;
  }
  const { services, networks, volumes, secrets } = compose;
  t.is(compose.name, undefined);
  const parts = Object.entries<Record<string, Named | null>>({ networks, volumes, secrets });
  for (const [kind, named] of parts) {
    for (const [name, one] of Object.entries(named)) {
      t.is(one?.name ?? one?.external, undefined, `${kind}: ${name}`);
    }
  }
  const published = new Set<string>();
  for (const [name, { container_name, ports = [] }] of Object.entries<{
    container_name?: string;
    ports?: string[];
  }>(services)) {
    t.is(container_name, undefined, name);
    for (const port of ports) {
      const [, variable = ''] = /^\$\{(\w+_BIND):-127\.0\.0\.1:\d+\}:\d+$/.exec(port) ?? [];
      t.not(variable, '', port);
      t.false(published.has(variable), port);
      published.add(variable);
    }
  }
  t.true(published.size > 5);
});

test('without enough CPU, MongoDB comes first, then what else a response needs', (t) => {
  const { services } = compose;
  const sharesOf = (name: string): number => services[name].cpu_shares ?? 1024;
  const needed = ['api', 'api-2', 'caddy'];
  const members = ['mongodb', 'mongodb-2', 'mongodb-3'];
  for (const name of Object.keys(services)) {
    if (members.includes(name)) continue;
    t.true(sharesOf('mongodb') > sharesOf(name), name);
    if (!needed.includes(name)) t.true(sharesOf('api') > sharesOf(name), name);
  }
  t.is(new Set(members.map(sharesOf)).size, 1);
  t.is(new Set(needed.map(sharesOf)).size, 1);
});
