import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createProcesses, shareProcessor, until } from '../containers/processes.ts';
import { home } from '../containers/programs.ts';
import { installDebian } from '../tools/debian.ts';
import { buildCluster } from './programs.ts';

const run = promisify(execFile);

const packages = ['containerd', 'containernetworking-plugins', 'iptables', 'ipset', 'conntrack'];
const installed = ['/usr/bin/containerd', '/usr/lib/cni/bridge', '/usr/sbin/ipset'];

export const clusterImages = [
  'registry.k8s.io/pause:3.10',
  'registry.k8s.io/coredns/coredns:v1.15.0',
] as const;

const folder = join(home, 'cluster');
const inFolder = (name: string) => join(folder, name);
const containerd = '/run/containerd/containerd.sock';
const node = '10.200.0.1';
const pods = '10.244.0.0/16';
const services = '10.96.0.0/16';
/** In dns.yaml too. */
const dns = '10.96.0.10';
/** Not one of the private addresses, which the chart's policies except. */
const outside = '203.0.113.10';
/** Nobody else reaches the API server. */
const token = 'admin';

/** Settings of the machine are read-only there; the kubelet writes its own copy of those that it wants to change. */
const setUp = `
set -e
mount -t tmpfs tmpfs /run
cd /proc/sys
for folder in vm kernel; do mount --bind -o ro $folder $folder; done
for file in vm/overcommit_memory vm/panic_on_oom kernel/panic kernel/panic_on_oops kernel/keys/root_maxkeys kernel/keys/root_maxbytes; do
  mkdir -p /run/sys/$(dirname $file)
  cat $file > /run/sys/$file
  mount --bind /run/sys/$file $file
done
ip link set lo up
ip address add ${node}/32 dev lo
ip netns add outside
ip link add outside type veth peer name eth0 netns outside
ip address add 203.0.113.1/24 dev outside
ip link set outside up
ip -n outside address add ${outside}/24 dev eth0
ip -n outside link set eth0 up
ip -n outside route add default via 203.0.113.1
echo 1 > net/ipv4/ip_forward
echo 1 > net/bridge/bridge-nf-call-iptables
ip route add default via ${outside}
while :; do sleep 3600 & wait; done
`;

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
 * Runs a Kubernetes of one node with network, processes and mounts of its own, so that nothing of this machine changes.
 * Network policies are kube-router's. An address outside of the cluster listens on ports 80 and 443.
 * @param archive all images that pods need, by `docker save`
 * @returns how to run a program in its network, and how to stop it
 */
export async function startCluster(archive: string) {
  await installDebian(packages, () => installed.every(existsSync));
  const programs = await buildCluster();
  const PATH = `${programs.join(':')}:${process.env.PATH}`;
  await rm(folder, { recursive: true, force: true });
  for (const name of ['network', 'logs']) await mkdir(inFolder(name), { recursive: true });
  const write = (name: string, content: string | object) =>
    writeFile(inFolder(name), typeof content === 'string' ? content : JSON.stringify(content));
  await write('kubeconfig', kubeconfig);
  await write('kubelet.yaml', kubelet);
  await write('network/10-pods.conflist', network);
  await write('containerd.toml', runtime);
  await write('tokens.csv', `${token},admin,admin,system:masters\n`);
  await run('openssl', ['genrsa', '-out', inFolder('accounts.key'), '2048']);

  const processes = createProcesses();
  const stop = async () => {
    await processes.stop('SIGKILL');
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 500 });
    const left = ['/sys/fs/cgroup', '-depth', '-type', 'd', '-path', '*/kubepods*'];
    await run('find', [...left, '-exec', 'rmdir', '{}', '+']).catch(() => undefined);
  };
  try {
    const withUs = ['--pdeathsig', 'KILL', 'unshare'];
    const apart = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
    const parent = processes.start('setpriv', [...withUs, ...apart, 'sh', '-c', setUp]);
    const children = `/proc/${parent}/task/${parent}/children`;
    await until('unshare', async () => (await readFile(children, 'utf8')).trim());
    const pid = (await readFile(children, 'utf8')).trim();
    const inside = (args: readonly string[]) => [
      ...['nsenter', '-t', pid, '-n', '-m', '-p', '--'],
      ...['env', `PATH=${PATH}`, `KUBECONFIG=${inFolder('kubeconfig')}`, ...args],
    ];
    const runInside = async (...args: string[]) => {
      const [nsenter = '', ...rest] = inside(args);
      return (await run(nsenter, rest, { maxBuffer: 16 * 1024 * 1024 })).stdout;
    };
    const startInside = async (name: string, ...args: string[]) => {
      const output = await open(inFolder(`logs/${name}`), 'a');
      const [nsenter = '', ...rest] = inside([name, ...args]);
      processes.start(nsenter, rest, output.fd);
      await output.close();
    };
    const kubectl = (...args: string[]) => runInside('kubectl', ...args);
    const as = `--kubeconfig=${inFolder('kubeconfig')}`;
    const accounts = inFolder('accounts.key');

    const isUp = async () => (await runInside('ip', '-4', 'route', 'show', 'default')).trim();
    await until('the network', isUp);
    await startInside(
      ...['ip', 'netns', 'exec', 'outside', process.execPath, '-e'],
      "for (const port of [80, 443]) require('node:net').createServer((one) => one.end()).listen(port)",
    );
    await startInside('etcd', '--data-dir', inFolder('etcd'), '--unsafe-no-fsync');
    await startInside(
      'kube-apiserver',
      ...['--etcd-servers=http://127.0.0.1:2379', `--cert-dir=${inFolder('apiserver')}`],
      ...[`--advertise-address=${node}`, `--service-cluster-ip-range=${services}`],
      ...[`--token-auth-file=${inFolder('tokens.csv')}`, '--authorization-mode=RBAC'],
      '--kubelet-preferred-address-types=InternalIP',
      ...['--service-account-issuer=https://kubernetes.default.svc', '--allow-privileged'],
      ...[`--service-account-key-file=${accounts}`],
      `--service-account-signing-key-file=${accounts}`,
    );
    await startInside('containerd', '--config', inFolder('containerd.toml'));
    await until(inFolder('logs/kube-apiserver'), () => kubectl('get', '--raw=/readyz'));
    await startInside(
      'kube-controller-manager',
      ...[as, '--leader-elect=false', `--service-account-private-key-file=${accounts}`],
    );
    await startInside('kube-scheduler', as, '--leader-elect=false');
    const ctr = ['ctr', '--address', containerd, '--namespace', 'k8s.io'];
    await until(inFolder('logs/containerd'), () => runInside(...ctr, 'version'));
    await runInside(...ctr, 'images', 'import', archive);
    await startInside(
      'kubelet',
      ...[as, `--config=${inFolder('kubelet.yaml')}`, `--root-dir=${inFolder('kubelet')}`],
      ...['--hostname-override=node', `--node-ip=${node}`],
    );
    await until(inFolder('logs/kubelet'), () => kubectl('get', 'node', 'node'));
    await shareProcessor('kubepods');
    await startInside(
      'kube-proxy',
      ...[as, '--hostname-override=node', '--proxy-mode=iptables', `--cluster-cidr=${pods}`],
      // Settings of the machine.
      ...['--conntrack-max-per-core=0', '--conntrack-tcp-timeout-established=0'],
      '--conntrack-tcp-timeout-close-wait=0',
    );
    await startInside(
      'kube-router',
      ...[as, '--hostname-override=node', '--run-firewall=true', '--run-router=false'],
      ...['--run-service-proxy=false', `--service-cluster-ip-range=${services}`],
    );
    const file = ['--from-file', inFolder('kubeconfig')];
    await kubectl('-n', 'kube-system', 'create', 'secret', 'generic', 'dns', ...file);
    await kubectl('apply', '-f', fileURLToPath(new URL('dns.yaml', import.meta.url)));
    await kubectl('-n', 'kube-system', 'rollout', 'status', 'deployment/dns', '--timeout=2m');
    return { inside, outside, stop };
  } catch (error) {
    // The logs stay.
    await processes.stop('SIGKILL');
    throw error;
  }
}
