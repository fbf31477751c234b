import { execFile } from 'node:child_process';
import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { home } from './home.ts';
import { awaitStart, createProcessStack, here, removeCgroup } from './processes.ts';

const run = promisify(execFile);
const folder = join(home, 'cluster');

/** A file of the cluster's. */
export const inFolder = (name: string): string => join(folder, name);

export const node = '10.200.0.1';
/** As the proof expects it. Not one of the private addresses, which the chart's policies except. */
const outside = '1.1.1.1';
const gateway = '1.1.1.2';

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
ip address add ${gateway}/24 dev outside
ip link set outside up
ip -n outside address add ${outside}/24 dev eth0
ip -n outside link set eth0 up
ip -n outside route add default via ${gateway}
echo 1 > net/ipv4/ip_forward
echo 1 > net/bridge/bridge-nf-call-iptables
ip route add default via ${outside}
while :; do sleep 3600 & wait; done
`;

export type Machine = Awaited<ReturnType<typeof openMachine>>;

/**
 * What a node of a cluster runs in: network, processes and mounts of its own, so that nothing of this machine changes.
 * @param environment of the programs in it
 */
export async function openMachine(environment: Record<string, string>) {
  await rm(folder, { recursive: true, force: true });
  await mkdir(inFolder('logs'), { recursive: true });
  const processes = createProcessStack();
  const withUs = ['--pdeathsig', 'KILL', 'unshare'];
  const apart = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
  const parent = processes.start('setpriv', [...withUs, ...apart, 'sh', '-c', setUp]);
  const children = `/proc/${parent}/task/${parent}/children`;
  await awaitStart('unshare', async () => (await readFile(children, 'utf8')).trim());
  const pid = (await readFile(children, 'utf8')).trim();
  const settings = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  const inside = (args: readonly string[]) => [
    ...['nsenter', '-t', pid, '-n', '-m', '-p', '--'],
    ...[...here(), ...settings, ...args],
  ];

  const machine = {
    inside,

    /** Runs a program. @returns its output */
    async run(...args: string[]): Promise<string> {
      const [program = '', ...rest] = inside(args);
      return (await run(program, rest, { maxBuffer: 16 * 1024 * 1024 })).stdout;
    },

    /** Starts a program that logs to a file with its name. */
    async start(name: string, ...args: string[]): Promise<void> {
      const output = await open(inFolder(`logs/${name}`), 'a');
      const [program = '', ...rest] = inside([name, ...args]);
      processes.start(program, rest, output.fd);
      await output.close();
    },

    /** @throws Error that names the log */
    isUp: (name: string, isReady: () => Promise<unknown>): Promise<void> =>
      awaitStart(inFolder(`logs/${name}`), isReady),

    /** Ends every process; the logs stay. */
    end: (): Promise<void> => processes.stop('SIGKILL'),

    /** Ends every process and removes every file. */
    async stop(): Promise<void> {
      await machine.end();
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 500 });
      await removeCgroup('kubepods');
    },
  };
  await awaitStart('ip', () => machine.run('ip', '-4', 'route', 'show', 'default'));
  return machine;
}
