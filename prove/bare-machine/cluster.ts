import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { installDebian } from '../../dev/tools/debian.ts';
import { buildCluster } from './kubernetes.ts';
import { inFolder, type Machine, node, openMachine } from './machine.ts';
import { shareProcessor } from './processes.ts';

const packages = ['containerd', 'containernetworking-plugins', 'iptables', 'ipset', 'conntrack'];
const installed = ['/usr/bin/containerd', '/usr/lib/cni/bridge', '/usr/sbin/ipset'];

export const clusterImages = [
  'registry.k8s.io/pause:3.10',
  'registry.k8s.io/coredns/coredns:v1.15.0',
] as const;

const containerd = '/run/containerd/containerd.sock';
const pods = '10.244.0.0/16';
const services = '10.96.0.0/16';
/** In dns.yaml too. */
const dns = '10.96.0.10';
/** Nobody else reaches the API server. */
const token = 'admin';
const access = inFolder('kubeconfig');
/** Signs the tokens of service accounts. */
const key = inFolder('accounts.key');

const kubeconfig = {
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'own',
  clusters: [
    {
      name: 'own',
      cluster: { server: `https://${node}:6443`, 'insecure-skip-tls-verify': true },
    },
  ],
  users: [{ name: 'admin', user: { token } }],
  contexts: [{ name: 'own', context: { cluster: 'own', user: 'admin' } }],
};

const kubelet = {
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
  containerRuntimeEndpoint: `unix://${containerd}`,
  cgroupDriver: 'cgroupfs',
  failCgroupV1: false,
  failSwapOn: false,
  authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
  authorization: { mode: 'AlwaysAllow' },
  clusterDNS: [dns],
  clusterDomain: 'cluster.local',
  // There is no registry to get an image from again.
  imageGCHighThresholdPercent: 100,
  evictionHard: { 'memory.available': '100Mi' },
};

const network = {
  cniVersion: '0.4.0',
  name: 'pods',
  plugins: [
    {
      type: 'bridge',
      bridge: 'pods',
      isGateway: true,
      hairpinMode: true,
      ipam: {
        type: 'host-local',
        dataDir: '/run/cni',
        ranges: [[{ subnet: pods }]],
        routes: [{ dst: '0.0.0.0/0' }],
      },
    },
  ],
};

const runtime = `
version = 2
root = "${inFolder('containerd')}"
state = "/run/containerd"
[grpc]
  address = "${containerd}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${clusterImages[0]}"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "${inFolder('network')}"
`;

/**
 * Runs a Kubernetes of one node. Network policies are kube-router's. An address outside of the cluster listens on ports 80
 * and 443.
 * @param archive all images that pods need, by `docker save`
 * @returns how to run a program in its network, and how to stop it
 */
export async function startCluster(archive: string) {
  await installDebian(packages, () => installed.every(existsSync));
  const programs = await buildCluster();
  const PATH = `${programs.join(':')}:${process.env.PATH}`;
  const machine = await openMachine({ PATH, KUBECONFIG: access });
  try {
    await writeSettings();
    await startControlPlane(machine);
    await startNode(machine, archive);
    await startNetwork(machine);
    return { env: process.env, inside: machine.inside, stop: machine.stop };
  } catch (error) {
    await machine.end();
    throw error;
  }
}

async function writeSettings(): Promise<void> {
  await mkdir(inFolder('network'));
  const files = {
    kubeconfig: JSON.stringify(kubeconfig),
    'kubelet.yaml': JSON.stringify(kubelet),
    'network/10-pods.conflist': JSON.stringify(network),
    'containerd.toml': runtime,
    'tokens.csv': `${token},admin,admin,system:masters\n`,
  };
  for (const [name, content] of Object.entries(files)) await writeFile(inFolder(name), content);
  await promisify(execFile)('openssl', ['genrsa', '-out', key, '2048']);
}

async function startControlPlane({ start, isUp, run }: Machine): Promise<void> {
  await start('etcd', '--data-dir', inFolder('etcd'), '--unsafe-no-fsync');
  await start(
    'kube-apiserver',
    ...['--etcd-servers=http://127.0.0.1:2379', `--cert-dir=${inFolder('apiserver')}`],
    ...[`--advertise-address=${node}`, `--service-cluster-ip-range=${services}`],
    ...[`--token-auth-file=${inFolder('tokens.csv')}`, '--authorization-mode=RBAC'],
    ...['--kubelet-preferred-address-types=InternalIP', '--allow-privileged'],
    ...['--service-account-issuer=https://kubernetes.default.svc'],
    ...[`--service-account-key-file=${key}`, `--service-account-signing-key-file=${key}`],
  );
  await isUp('kube-apiserver', () => run('kubectl', 'get', '--raw=/readyz'));
  const as = [`--kubeconfig=${access}`, '--leader-elect=false'];
  await start('kube-controller-manager', ...as, `--service-account-private-key-file=${key}`);
  await start('kube-scheduler', ...as);
}

async function startNode({ start, isUp, run }: Machine, archive: string): Promise<void> {
  await start('containerd', '--config', inFolder('containerd.toml'));
  const ctr = ['ctr', '--address', containerd, '--namespace', 'k8s.io'];
  await isUp('containerd', () => run(...ctr, 'version'));
  await run(...ctr, 'images', 'import', archive);
  await start(
    'kubelet',
    ...[`--kubeconfig=${access}`, '--hostname-override=node', `--node-ip=${node}`],
    ...[`--config=${inFolder('kubelet.yaml')}`, `--root-dir=${inFolder('kubelet')}`],
  );
  await isUp('kubelet', () => run('kubectl', 'get', 'node', 'node'));
  await shareProcessor('kubepods');
}

/** Services, their policies and names, and what is outside. */
async function startNetwork({ start, run }: Machine): Promise<void> {
  const as = [`--kubeconfig=${access}`, '--hostname-override=node'];
  await start(
    'kube-proxy',
    ...[...as, '--proxy-mode=iptables', `--cluster-cidr=${pods}`],
    // Settings of the machine.
    ...['--conntrack-max-per-core=0', '--conntrack-tcp-timeout-established=0'],
    '--conntrack-tcp-timeout-close-wait=0',
  );
  await start(
    'kube-router',
    ...[...as, '--run-firewall=true', '--run-router=false', '--run-service-proxy=false'],
    `--service-cluster-ip-range=${services}`,
  );
  const kubectl = ['kubectl', '-n', 'kube-system'];
  await run(...kubectl, 'create', 'secret', 'generic', 'dns', '--from-file', access);
  await run(...kubectl, 'apply', '-f', fileURLToPath(new URL('dns.yaml', import.meta.url)));
  await run(...kubectl, 'rollout', 'status', 'deployment/dns', '--timeout=2m');
  const listen = `for (const port of [80, 443]) require('node:net').createServer((one) => one.end()).listen(port)`;
  await start('ip', 'netns', 'exec', 'outside', process.execPath, '-e', listen);
}
