import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { appendFile, cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { program } from 'commander';
import pMap from 'p-map';
import { log } from '../dev/log.ts';
import { collisions } from './compose/collisions.ts';
import { createDeployment } from './compose/deployment.ts';
import { findContainerExposures, jobs } from './compose/exposures.ts';
import {
  claimAsCustomer,
  createBuyers,
  openShop,
  purchaseAsPartner,
  replay,
} from './support/partners.ts';
import { createSteps } from './support/steps.ts';
import type { SentEvent } from './support/traffic-log.ts';

program
  .name('prove -- compose')
  .description(
    'Deploys this tree’s last commit with Docker Compose, in the profile cluster, and operates it with deploy/compose/ctl: a failover, an upgrade under load, a rotation of each secret, a backup and its restore. Uses the engine of DOCKER_HOST or of the local socket, and replaces its image partner-events and its project prove-compose. Exits with 1 if anything is wrong.',
  )
  .parse();

const buyers = 4;
const baseUrl = 'https://api.localhost';
/** Of a second installation on the same machine. */
const otherPorts = [
  ...['HTTP_BIND=127.0.0.1:81', 'HTTPS_BIND=127.0.0.1:444', 'ADMIN_BIND=127.0.0.1:3012'],
  ...['TEMPORAL_UI_BIND=127.0.0.1:8081', 'PROMETHEUS_BIND=127.0.0.1:9190'],
  ...['ALERTMANAGER_BIND=127.0.0.1:9193', 'GRAFANA_BIND=127.0.0.1:3013'],
];
/** Every secret that the deployment makes and that can be replaced. */
const rotated = [
  ...['mongodb_uri_api', 'mongodb_uri_portal', 'mongodb_uri_worker', 'mongodb_uri_migrate'],
  ...['mongodb_root_password', 'mongodb_key', 'postgres_password', 'master_keys'],
];
const adminUrl = 'http://localhost:3002/admin/v1';

await promisify(execFile)('docker', ['version']).catch(() => {
  throw new Error('No Docker engine responds. Start one, or name it with DOCKER_HOST.');
});
await lookup('api.localhost').catch(() => {
  throw new Error('Add `127.0.0.1 api.localhost` to /etc/hosts.');
});
const folder = await mkdtemp(join(tmpdir(), 'prove-compose-'));
const { steps, standIns } = await prove(join(folder, 'partner-events'));
const { faults } = steps;
log(steps.table());
log(`Stand-ins for: ${standIns.join(', ') || 'nothing'}.`);
for (const fault of faults) log(`  ${fault}`);
const isFine = faults.length === 0;
if (isFine) await rm(folder, { recursive: true });
log(isFine ? 'Nothing was lost.' : `${faults.length} FAULTS. The checkout is kept in ${folder}.`);
process.exit(isFine ? 0 : 1);

/** From a clone to a restored backup. @param checkout does not exist yet */
async function prove(checkout: string) {
  const steps = createSteps();
  const { expect, timed, faults } = steps;
  const deployment = createDeployment(checkout);
  const { compose, ctl, command } = deployment;
  const first = await timed('git clone, setup, ctl up', async () => {
    execFileSync('git', ['clone', '--quiet', join(import.meta.dirname, '..'), checkout]);
    await compose('--profile', '*', 'down', '--volumes', '--remove-orphans');
    await deployment.setUp('--cluster', 'localhost', 'ada@shop.example');
    return await ctl('up');
  });
  await deployment.trustCaddy();
  const [link = '', ...others] = linksIn(first);
  const leads = link !== '' && (await fetch(link)).ok;
  expect(leads && others.length === 0, 'ctl up printed no link that works, or several');
  const again = await timed('ctl up again', () => ctl('up'));
  expect(linksIn(again).length === 0, 'ctl up printed a link again');

  const operator = await command('api', 'cli/create-admin.ts', '--name', 'prover');
  const token = operator.trim().split('\n').at(-1) ?? '';
  const shop = await timed('a partner, by the operators’ API', () => openShop(adminUrl, token));
  const bought = await timed('a signed purchase', () => purchaseAsPartner(baseUrl, shop));
  await timed('its claim', () => claimAsCustomer(bought));

  // Each partner has a rate limit of its own.
  const shops = await pMap(Array.from({ length: buyers }), () => openShop(adminUrl, token));
  const { sent, during } = createBuyers(baseUrl, shops);
  const underTraffic = (what: string, work: () => Promise<unknown>) =>
    steps.underTraffic(what, () => during(work));
  let replayed = 0;
  // Not those of before: they would use up the rate limit of what comes next.
  const replayNewest = async () => {
    const newest = sent.slice(replayed);
    replayed = sent.length;
    faults.push(...(await replay(baseUrl, newest)));
  };

  faults.push(
    ...(await timed('a second installation, as Compose reads it', () => beside(checkout))),
  );

  await timed('ctl demo', () => ctl('demo'));
  await timed('ctl status', () => ctl('status'));
  // Its checkpoints are to outlive every container.
  await timed('ctl audit', () => ctl('audit'));

  const primary = await deployment.primary();
  await underTraffic(`the primary killed, ${primary}`, () => compose('kill', primary));
  const before = await deployment.starts();
  await underTraffic('ctl up after it', () => ctl('up'));
  for (const [service, start] of await deployment.starts()) {
    const isToStart = service === primary || jobs.includes(service);
    expect(isToStart || before.get(service) === start, `ctl up restarted ${service}`);
  }
  await replayNewest();

  const former = await deployment.starts();
  // Another image, so that every process is replaced.
  await appendFile(join(checkout, 'LICENSE'), '\n');
  const { unavailable } = await underTraffic('ctl upgrade', () => ctl('upgrade'));
  expect(unavailable === 0, 'ctl upgrade: requests got a 503');
  const present = await deployment.starts();
  for (const service of ['api', 'api-2', 'worker', 'worker-2', 'portal']) {
    expect(former.get(service) !== present.get(service), `ctl upgrade did not replace ${service}`);
  }
  await replayNewest();

  await timed('ctl audit --log', () => ctl('audit', '--log'));

  faults.push(...(await timed('another key for each process', () => withOtherKeys(checkout))));

  for (const name of rotated) {
    await underTraffic(`ctl rotate ${name}`, () => ctl('rotate', name));
    await replayNewest();
  }

  const secrets = await deployment.secrets();
  faults.push(...findContainerExposures(await deployment.containers(), secrets));
  const logs = await compose('logs', '--no-color');
  expect(!secrets.some((secret) => logs.includes(secret)), 'the logs have a secret');

  let kept: SentEvent[] = [];
  await underTraffic('ctl backup', async () => {
    kept = sent.filter(({ response }) => response);
    await ctl('backup', 'backup');
  });
  await compose('down', '--volumes');
  const machine = `${checkout}-new`;
  execFileSync('git', ['clone', '--quiet', checkout, machine]);
  for (const part of ['.env', 'secrets', 'backup']) {
    await cp(join(checkout, part), join(machine, part), { recursive: true });
  }
  const restored = createDeployment(machine);
  await timed('ctl restore, in a new clone with empty volumes', () =>
    restored.ctl('restore', '--yes', 'backup'),
  );
  await restored.trustCaddy();
  faults.push(...(await replay(baseUrl, kept)));
  const since = sent.filter((event) => !kept.includes(event));
  for (const event of since) event.response = undefined;
  for (const kind of ['purchases', 'refunds']) {
    faults.push(
      ...(await replay(
        baseUrl,
        since.filter((event) => event.kind === kind),
      )),
    );
  }
  await claimAsCustomer(await purchaseAsPartner(baseUrl, shop));
  for (const options of [[], ['--log', 'backup/audit/audit.log']]) {
    await timed(['ctl audit', ...options].join(' '), async () => {
      await restored.ctl('audit', ...options).catch((error) => faults.push(error.message));
    });
  }
  const standIns = await restored.standIns();
  await restored.compose('down', '--volumes');
  return { steps, standIns };
}

/** @returns what a second clone, set up with ports of its own, would share with this one */
async function beside(checkout: string): Promise<string[]> {
  const second = `${checkout}-2`;
  execFileSync('git', ['clone', '--quiet', checkout, second]);
  const deployment = createDeployment(second);
  await deployment.setUp('--cluster', 'second.localhost', 'ada@shop.example');
  // Of two lines, Compose takes the last.
  await appendFile(join(second, '.env'), `${otherPorts.join('\n')}\n`);
  const both = [await createDeployment(checkout).resolved(), await deployment.resolved()] as const;
  return collisions(...both).map((what) => `two installations share the ${what}`);
}

/** @returns which processes run, or do not say why not, with another key than the database was used with */
async function withOtherKeys(checkout: string): Promise<string[]> {
  const key = randomBytes(32).toString('base64');
  const masterKeys = await readFile(join(checkout, 'secrets', 'master_keys'), 'utf8');
  const [id = ''] = masterKeys.split(':');
  const deployment = createDeployment(checkout);
  const faults: string[] = [];
  for (const [variable, value] of [
    ['CUSTOMER_HASH_KEY', key],
    ['MASTER_KEYS', `${id}:${key}`],
  ] as const) {
    for (const service of ['api', 'portal', 'worker']) {
      const said = await deployment.startWith(service, variable, value).catch(String);
      if (!said.includes(`${variable} has another key`)) {
        faults.push(`${service} with another ${variable}: ${said}`);
      }
    }
  }
  return faults;
}

function linksIn(output: string): string[] {
  return output.match(/https:\S+\/sign-in\/link\/\S+/g) ?? [];
}
