import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { buildHelm } from '../chart/helm.ts';

const run = promisify(execFile);
const maxBuffer = 64 * 1024 * 1024;

export type Kubernetes = Awaited<ReturnType<typeof openKubernetes>>;

/** A pod, with the fields that are looked at. */
export interface Pod {
  metadata: { name: string; deletionTimestamp?: string };
  spec: { containers: { image: string }[] };
  status: { podIP: string };
}

/**
 * Runs `kubectl` of the PATH and the chart's Helm.
 * @param context of the kubeconfig; undefined for the current one
 */
export async function openKubernetes(context: string | undefined) {
  const program = await buildHelm();
  const ofKubectl = context === undefined ? [] : ['--context', context];
  const ofHelm = context === undefined ? [] : ['--kube-context', context];

  /** @throws Error with what it says, if it fails */
  async function kubectl(args: readonly string[], input: string | object = ''): Promise<string> {
    const running = run('kubectl', [...ofKubectl, ...args], { maxBuffer });
    running.child.stdin?.end(typeof input === 'string' ? input : JSON.stringify(input));
    return (await running).stdout;
  }

  return {
    kubectl,

    /** @throws Error with what it says, if it fails */
    helm: async (...args: string[]): Promise<string> =>
      (await run(program, [...ofHelm, ...args], { maxBuffer })).stdout,

    /** Creates or changes objects, or what a list of arguments of `kubectl create` would. */
    async apply(what: object | readonly string[]): Promise<void> {
      const object = Array.isArray(what)
        ? await kubectl(['create', ...what, '--dry-run=client', '-o', 'json'])
        : what;
      await kubectl(['apply', '-f', '-'], object);
    },

    /** Runs a program in a container. */
    exec: (namespace: string, what: string, ...command: string[]): Promise<string> =>
      kubectl(['-n', namespace, 'exec', what, '--', ...command]),

    /** The pods that are not being deleted. */
    async pods(namespace: string, selector = ''): Promise<Pod[]> {
      const args = ['-n', namespace, 'get', 'pods', '-l', selector, '-o', 'json'];
      const { items } = JSON.parse(await kubectl(args)) as { items: Pod[] };
      return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    },

    /** Every object of a namespace but events, as `kind/name`. */
    async objects(namespace: string): Promise<string[]> {
      const kinds = await kubectl(['api-resources', '--verbs=list', '--namespaced', '-o', 'name']);
      const wanted = kinds
        .trim()
        .split('\n')
        .filter((kind) => !/^events(\.|$)/.test(kind));
      const found = await kubectl(['-n', namespace, 'get', wanted.join(), '-o', 'name']);
      return found.split('\n').filter(Boolean);
    },

    /** Forwards a free port of this machine until this process ends. @returns its URL */
    async forward(namespace: string, what: string, port: number): Promise<string> {
      const args = [...ofKubectl, '-n', namespace, 'port-forward', what, `:${port}`];
      const child = spawn('kubectl', args, { stdio: ['ignore', 'pipe', 'inherit'] });
      process.once('exit', () => child.kill());
      return await new Promise((resolve, reject) => {
        child.once('exit', () => reject(new Error(`kubectl ${args.join(' ')} ended`)));
        // It writes a line for each connection, which somebody has to read.
        child.stdout.setEncoding('utf8').on('data', (text: string) => {
          const [, at] = /^Forwarding from (127\.0\.0\.1:\d+)/m.exec(text) ?? [];
          if (at) resolve(`http://${at}`);
        });
      });
    },
  };
}
