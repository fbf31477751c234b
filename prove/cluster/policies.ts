import { setTimeout as delay } from 'node:timers/promises';
import type { Kubernetes } from './kubernetes.ts';

const rewards = 'prove-rewards';

/** Where the pods of our release are reached, and what they reach. */
const targets = [
  ...['api:3000', 'api:3002', 'api:9464', 'portal:3001', 'portal:9464', 'worker:9464'],
  ...['mongodb:27017', 'temporal:7233', 'dns:53', 'outside:443', 'outside:80'],
  ...['stranger:443', 'kubernetes:443'],
] as const;

type Target = (typeof targets)[number];

/** What is reached without a policy of ours that forbids it. */
const elsewhere = targets.filter((target) => !/^(api|portal|worker):/.test(target));
const needed: Target[] = ['mongodb:27017', 'temporal:7233', 'dns:53'];

/** What each pod reaches; it reaches nothing else. */
const reached: Record<string, readonly Target[]> = {
  ingress: ['api:3000', 'portal:3001', ...elsewhere],
  operators: ['api:3002', ...elsewhere],
  monitoring: ['api:9464', 'portal:9464', 'worker:9464', ...elsewhere],
  strangers: elsewhere,
  api: [...needed, 'outside:443'],
  portal: [...needed, 'outside:443', 'api:3000'],
  worker: [...needed, 'outside:443'],
  migrate: needed,
  test: ['api:3000', 'dns:53'],
  // In the namespace of the release, but not of it.
  neighbour: [],
};

/** The policies have an effect some time after the pod is there. */
const attempts = 10;
const pauseMs = 2_000;
const connectMs = 3_000;

/** Run in the pods: which of these addresses accept a connection. */
const probe = `
const { connect } = require('node:net');
const reach = (address) => new Promise((resolve) => {
  const at = address.lastIndexOf(':');
  const socket = connect({ host: address.slice(0, at), port: Number(address.slice(at + 1)) });
  const end = (reached) => { socket.destroy(); resolve(reached); };
  socket.setTimeout(${connectMs}, () => end(false)).on('connect', () => end(true)).on('error', () => end(false));
});
Promise.all(process.argv.slice(1).map(reach)).then((all) => process.stdout.write(JSON.stringify(all)));
`;

/** A pod that can be asked what it reaches, and that can itself be reached on port 443. */
function prober(namespace: string, name: string, image: string, labels: object) {
  const wait = "require('node:net').createServer((one) => one.end()).listen(443)";
  const sysctls = [{ name: 'net.ipv4.ip_unprivileged_port_start', value: '0' }];
  const seccompProfile = { type: 'RuntimeDefault' };
  const capabilities = { drop: ['ALL'] };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels },
    spec: {
      terminationGracePeriodSeconds: 0,
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile, sysctls },
      containers: [
        {
          name: 'prober',
          image,
          command: ['node', '-e', wait],
          securityContext: { allowPrivilegeEscalation: false, capabilities },
        },
      ],
    },
  };
}

const labelsOf = (release: string, component: string) => ({
  'app.kubernetes.io/name': 'partner-events',
  'app.kubernetes.io/instance': release,
  'app.kubernetes.io/component': component,
});

interface Probed {
  release: string;
  /** Has Node. */
  image: string;
  /** Listens on ports 80 and 443. */
  outside: string;
}

/**
 * Connects from each kind of pod to everything, and compares what succeeds with what should.
 * @returns how many connections that are, and which were wrong
 */
export async function probePolicies(kubernetes: Kubernetes, { release, image, outside }: Probed) {
  const { kubectl, helm, exec, apply } = kubernetes;
  const items = [
    ...['ingress', 'operators', 'monitoring', 'strangers'].map((name) =>
      prober(`prove-${name}`, name, image, {}),
    ),
    prober(rewards, 'neighbour', image, {}),
    ...['migrate', 'test'].map((name) => prober(rewards, name, image, labelsOf(release, name))),
  ];
  await apply({ apiVersion: 'v1', kind: 'List', items });
  // The policy of `migrate` is there only while that runs.
  const hooks = (await helm('-n', rewards, 'get', 'hooks', release)).split(/^---$/m);
  const policy = hooks.find((hook) => hook.includes('kind: NetworkPolicy')) ?? '';
  await kubectl(['-n', rewards, 'apply', '-f', '-'], policy);
  for (const { metadata } of items) {
    const ready = [`pod/${metadata.name}`, '--for=condition=Ready', '--timeout=2m'];
    await kubectl(['-n', metadata.namespace, 'wait', ...ready]);
  }

  const pods = items.map(({ metadata: { namespace, name } }) => ({
    source: name,
    namespace,
    name,
  }));
  const addresses = { ...(await addressesAround(kubernetes)), outside };
  for (const part of ['api', 'portal', 'worker']) {
    const selector = `app.kubernetes.io/component=${part}`;
    const [first, second] = await kubernetes.pods(rewards, selector);
    if (!first || !second) throw new Error(`There are not two pods of ${part}.`);
    pods.push({ source: part, namespace: rewards, name: first.metadata.name });
    Object.assign(addresses, { [part]: second.status.podIP });
  }
  const faults: string[] = [];
  for (const { source, namespace, name } of pods) {
    const program = ['node', '-e', probe, ...targets.map((target) => placeOf(target, addresses))];
    const expected = reached[source] ?? [];
    let wrong: Target[] = [];
    for (let left = attempts; left > 0; left--) {
      const answers: boolean[] = JSON.parse(await exec(namespace, name, ...program));
      wrong = targets.filter((target, index) => answers[index] !== expected.includes(target));
      if (wrong.length === 0) break;
      await delay(pauseMs);
    }
    for (const target of wrong) {
      const what = expected.includes(target) ? 'does not reach' : 'reaches';
      faults.push(`${source} ${what} ${target}`);
    }
  }
  for (const { metadata } of items) {
    await kubectl(['-n', metadata.namespace, 'delete', 'pod', metadata.name]);
  }
  await kubectl(['-n', rewards, 'delete', 'networkpolicy', `${release}-migrate`]);
  return { count: pods.length * targets.length, faults };
}

const placeOf = (target: Target, addresses: Record<string, string>) =>
  target.replace(/^\w+/, (name) => addresses[name] ?? '');

/** The addresses of what is not of the release. */
async function addressesAround({ kubectl, pods }: Kubernetes): Promise<Record<string, string>> {
  const podOf = async (namespace: string) => (await pods(namespace))[0]?.status.podIP ?? '';
  const get = (namespace: string, ...args: string[]) => kubectl(['-n', namespace, 'get', ...args]);
  const endpoint = ['-o', 'jsonpath={.items[0].endpoints[0].addresses[0]}'];
  return {
    mongodb: await podOf('prove-mongodb'),
    temporal: await podOf('prove-temporal'),
    stranger: await podOf('prove-strangers'),
    dns: await get('kube-system', 'endpointslices', '-l', 'k8s-app=kube-dns', ...endpoint),
    kubernetes: await get('default', 'service', 'kubernetes', '-o', 'jsonpath={.spec.clusterIP}'),
  };
}
