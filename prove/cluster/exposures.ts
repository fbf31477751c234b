import type { Kubernetes } from './kubernetes.ts';

/** Run in the container: what it may do. */
const look = `
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const status = readFileSync('/proc/self/status', 'utf8');
const of = (name) => new RegExp('^' + name + ':\\\\s*(\\\\S+)', 'm').exec(status)[1];
const canWrite = () => { try { writeFileSync('/app/written', ''); return true; } catch ({ code }) { return code !== 'EROFS'; } };
process.stdout.write(JSON.stringify({
  'runs as root': process.getuid() === 0,
  'has capabilities': !/^0+$/.test(of('CapEff')),
  'can gain privileges': of('NoNewPrivs') !== '1',
  'makes any system call': of('Seccomp') !== '2',
  'can write to its image': canWrite(),
  'has a Kubernetes token': existsSync('/var/run/secrets/kubernetes.io'),
}));
`;

/** What no container may do. @returns what is wrong */
export async function findClusterExposures(
  { exec, kubectl }: Kubernetes,
  namespace: string,
  what: string,
  secrets: readonly string[],
): Promise<string[]> {
  const may: Record<string, boolean> = JSON.parse(await exec(namespace, what, 'node', '-e', look));
  const environment = await exec(namespace, what, 'node', '-p', 'JSON.stringify(process.env)');
  const shown = await kubectl(['-n', namespace, 'get', what, '-o', 'yaml']);
  const logs = await kubectl(['-n', namespace, 'logs', what, '--all-pods', '--tail=-1']);
  const isIn = (text: string) => secrets.some((secret) => text.includes(secret));
  const checks = {
    ...may,
    'has a secret in its environment': isIn(environment),
    'shows a secret to kubectl': isIn(shown),
    'logs a secret': isIn(logs),
  };
  return Object.entries(checks).flatMap(([which, isSo]) => (isSo ? [`${what} ${which}`] : []));
}
