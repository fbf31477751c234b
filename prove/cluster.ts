import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { program } from 'commander';
import pMap from 'p-map';
import { log } from '../dev/log.ts';
import { chart } from './chart/helm.ts';
import { findClusterExposures } from './cluster/exposures.ts';
import { openKubernetes } from './cluster/kubernetes.ts';
import { probePolicies } from './cluster/policies.ts';
import { clearWorld, startWorld } from './cluster/world.ts';
import {
  claimAsCustomer,
  createBuyers,
  openShop,
  purchaseAsPartner,
  replay,
} from './support/partners.ts';
import { createSteps } from './support/steps.ts';

const { context, image, tag, nextTag, outside } = program
  .name('prove -- cluster')
  .description(
    'Installs the chart on Kubernetes, in a namespace that denies everything by default, and operates it: policies, evictions, an upgrade and a rollback under load. Uses kubectl with the cluster of the current kubeconfig, in namespaces prove-…, and Go to build Helm. Exits with 1 if anything is wrong.',
  )
  .option('--context <name>', 'of the kubeconfig')
  .option('--image <repository>', 'where the cluster finds our image', 'partner-events')
  .option('--tag <tag>', 'what is installed', 'present')
  .option('--next-tag <tag>', 'what it is upgraded to', 'next')
  .option('--outside <address>', 'listens on ports 80 and 443 outside of the cluster', '1.1.1.1')
  .parse()
  .opts();

const buyers = 4;
const namespace = 'prove-rewards';
const release = 'events';
const parts = ['api', 'portal', 'worker'];
const patience = 120;

const kubernetes = await openKubernetes(context);
const { kubectl, helm, exec, forward, objects, pods } = kubernetes;
const steps = createSteps();
const { expect, timed, faults } = steps;
await prove();
log(steps.table());
for (const fault of faults) log(`  ${fault}`);
log(faults.length === 0 ? 'Nothing was lost, and nothing is left.' : `${faults.length} FAULTS`);
process.exit(faults.length === 0 ? 0 : 1);

/** From an install to what an uninstall leaves. */
async function prove(): Promise<void> {
  await clearWorld(kubernetes);
  const secrets = await timed('MongoDB, Temporal and the Secret', () => startWorld(kubernetes));
  const before = await objects(namespace);
  const valuesOf = (version: string, ...settings: string[]) => [
    ...['-n', namespace, '--wait', '--timeout=10m'],
    ...['-f', fileURLToPath(new URL('cluster/values.yaml', import.meta.url))],
    ...[`image.repository=${image}`, `image.tag=${version}`, ...settings].flatMap((one) => [
      '--set',
      one,
    ]),
  ];
  const uninstall = async (kept = /^$/) => {
    await helm('uninstall', release, '-n', namespace, '--wait');
    const leftOver = async () =>
      (await objects(namespace)).filter((one) => !before.includes(one) && !kept.test(one));
    await eventually(async () => (await leftOver()).length === 0);
    const left = await leftOver();
    expect(left.length === 0, `helm uninstall left ${left.join(', ')}`);
  };

  const nowhere = ['config.TEMPORAL_ADDRESS=nowhere:7233', 'migrate.deadlineSeconds=60'];
  await timed('an install without Temporal, and its uninstall', async () => {
    const failure = await helm('install', release, chart, ...valuesOf(tag, ...nowhere)).then(
      () => 'it succeeded',
      (error: Error) => error.message,
    );
    expect(/deadline/i.test(failure), `an install without Temporal: ${failure}`);
    const ofMigrate = ['logs', '-l', 'app.kubernetes.io/component=migrate', '--tail=-1'];
    const logged = await kubectl(['-n', namespace, ...ofMigrate]);
    expect(logged.includes('Temporal at nowhere:7233'), `the failed migration logged: ${logged}`);
    // It stays until the next.
    await uninstall(/migrate/);
  });
  await timed('helm install', () => helm('install', release, chart, ...valuesOf(tag)));
  await timed('helm test', () => helm('test', release, '-n', namespace));
  for (const part of parts) {
    faults.push(
      ...(await findClusterExposures(
        kubernetes,
        namespace,
        `deployment/${release}-${part}`,
        secrets,
      )),
    );
  }

  const api = await forward('prove-ingress', 'deployment/caddy', 8080);
  const portal = await forward('prove-ingress', 'deployment/caddy', 8081);
  const operators = `${await forward(namespace, `service/${release}-operators`, 3002)}/admin/v1`;
  const made = ['node', 'cli/create-admin.ts', '--name', 'prover'];
  const admin = await exec(namespace, `deployment/${release}-api`, ...made);
  const token = admin.trim().split('\n').at(-1) ?? '';
  const shop = await timed('a partner, by the operators’ API', () => openShop(operators, token));
  const bought = await timed('a signed purchase', () => purchaseAsPartner(api, shop));
  const link = bought.link.replace('https://rewards.example.com', portal);
  await timed('its claim', () => claimAsCustomer({ ...bought, link }));

  await timed('network policies', async () => {
    const probed = { release, image: `${image}:${tag}`, outside };
    const { count, faults: wrong } = await probePolicies(kubernetes, probed);
    log(`${count} connections tried`);
    faults.push(...wrong);
  });

  // Each partner has a rate limit of its own.
  const shops = await pMap(Array.from({ length: buyers }), () => openShop(operators, token));
  const { sent, during } = createBuyers(api, shops);
  const underTraffic = async (what: string, work: () => Promise<unknown>) => {
    const { unavailable } = await steps.underTraffic(what, () => during(work));
    expect(unavailable === 0, `${what}: requests got a 503`);
  };
  const isRunning = async (version: string) => {
    const found = (await pods(namespace)).map(({ spec }) => spec.containers[0]?.image);
    const isRight = found.length === 6 && found.every((one) => one === `${image}:${version}`);
    expect(isRight, `instead of six pods of ${version} there are ${found.join(', ')}`);
  };
  await underTraffic('every pod evicted', evictEach);
  await underTraffic('helm upgrade', () => helm('upgrade', release, chart, ...valuesOf(nextTag)));
  await isRunning(nextTag);
  await underTraffic('helm rollback', () =>
    helm('rollback', release, '1', '-n', namespace, '--wait', '--timeout=10m'),
  );
  await isRunning(tag);
  faults.push(...(await replay(api, sent)));
  await timed('audit', async () => {
    const audit = ['node', 'cli/audit.ts'];
    await exec(namespace, `deployment/${release}-worker`, ...audit).catch((error) =>
      faults.push(error.message),
    );
  });
  await timed('helm uninstall', uninstall);
  await clearWorld(kubernetes);
}

/** Evicts every pod; of each process's two, the second only once there is another one. */
async function evictEach(): Promise<void> {
  for (const part of parts) {
    const [first, second] = await pods(namespace, `app.kubernetes.io/component=${part}`);
    if (!first || !second) throw new Error(`There are not two pods of ${part}.`);
    await evict(first.metadata.name);
    const refusal = await evict(second.metadata.name).then(String, String);
    expect(/disruption budget/.test(refusal), `both pods of ${part} could be evicted: ${refusal}`);
    const isEvicted = await eventually(() =>
      evict(second.metadata.name).then(
        () => true,
        () => false,
      ),
    );
    expect(isEvicted, `the second pod of ${part} could not be evicted`);
    await kubectl(['-n', namespace, 'rollout', 'status', `deployment/${release}-${part}`]);
  }
}

async function evict(name: string): Promise<void> {
  const url = `/api/v1/namespaces/${namespace}/pods/${name}/eviction`;
  const metadata = { name, namespace };
  await kubectl(['create', '--raw', url, '-f', '-'], {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata,
  });
}

/** @returns whether it became true in time */
async function eventually(isSo: () => Promise<boolean>): Promise<boolean> {
  for (let left = patience; left > 0; left--) {
    if (await isSo()) return true;
    await delay(1_000);
  }
  return false;
}
