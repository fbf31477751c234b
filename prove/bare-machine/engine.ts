import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installDebian } from '../../dev/tools/debian.ts';
import { goProgram } from '../../dev/tools/go.ts';
import { home } from './home.ts';
import { addImages, docker, env, socket } from './images.ts';
import { awaitStart, createProcessStack, here, removeCgroup, shareProcessor } from './processes.ts';

const run = promisify(execFile);

const packages = ['docker.io', 'iptables', 'mmdebstrap', 'slirp4netns'];
const programs = ['/usr/sbin/dockerd', '/usr/bin/mmdebstrap', '/usr/bin/slirp4netns'];

/** Of its containers, apart from those of the machine's own engine. */
const cgroup = 'prove-containers';

/** Everybody's names, and those that browsers resolve by themselves. */
const hosts = '127.0.0.1 localhost api.localhost\n';
/** slirp4netns answers there, with the resolver of this machine. */
const resolver = 'nameserver 10.0.2.3\n';

/**
 * Runs a Docker engine with a network, mounts and images of its own, so that nothing of this machine changes. What it
 * publishes is reached through `inside`.
 * @param images that it has before it is returned: their publishers', or stand-ins
 * @returns how to run a program in its network, and how to stop it
 * @throws Error unless run as root on Debian with Go
 */
export async function startEngine(images: Iterable<string>) {
  if (process.getuid?.() !== 0) {
    throw new Error('Only root can give it a network and mounts of its own.');
  }
  await installDebian(packages, () => programs.every(existsSync));
  await mkdir(home, { recursive: true });
  await writeFile(join(home, 'hosts'), hosts);
  await writeFile(join(home, 'resolver'), resolver);
  await addPlugins();
  await shareProcessor(cgroup);
  const processes = createProcessStack();
  const { start } = processes;
  const stop = async () => {
    await processes.stop();
    await removeCgroup(cgroup);
  };
  try {
    const mounts = [
      `mount --bind ${home}/hosts /etc/hosts`,
      `mount --bind ${home}/resolver /etc/resolv.conf`,
    ];
    const files = `--data-root ${home}/data --exec-root ${home}/exec --pidfile ${home}/dockerd.pid`;
    const dockerd = `exec dockerd ${files} --host ${socket} --cgroup-parent ${cgroup} --storage-driver overlay2 > ${home}/dockerd.log 2>&1`;
    const script = ['set -e', 'ip link set lo up', ...mounts, dockerd].join('\n');
    const pid = start('unshare', ['--net', '--mount', 'sh', '-c', script]);
    const apart = ['nsenter', '-t', pid, '-n', '-m', '--'];
    const inside = (args: readonly string[]) => [...apart, ...here(), ...args];
    await awaitStart(`${home}/dockerd.log`, () => docker('version'));
    start('slirp4netns', ['--configure', '--mtu=1500', '--disable-host-loopback', pid, 'tap0']);
    const [nsenter = '', ...addresses] = inside(['ip', '-4', 'route', 'show', 'default']);
    await awaitStart('slirp4netns', async () =>
      (await run(nsenter, addresses)).stdout.includes('tap0'),
    );
    await addImages(images);
    return { env, inside, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Compose and BuildKit's client, which Debian does not have in these versions. */
async function addPlugins(): Promise<void> {
  const plugins = join(home, 'config', 'cli-plugins');
  await mkdir(plugins, { recursive: true });
  const compose = { module: 'github.com/docker/compose/v2', program: 'cmd', version: 'v2.40.3' };
  const buildx = { module: 'github.com/docker/buildx', program: 'cmd/buildx', version: 'v0.29.1' };
  const own = {
    'docker-compose': [compose, 'internal'],
    'docker-buildx': [buildx, 'version'],
  } as const;
  for (const [name, [from, place]] of Object.entries(own)) {
    const flags = `-X ${from.module}/${place}.Version=${from.version}`;
    await copyFile(await goProgram(name, { ...from, flags }), join(plugins, name));
  }
}
