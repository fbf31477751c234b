import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { goProgram } from '../../dev/tools/go.ts';

const run = promisify(execFile);
/** What the chart is checked against. */
export const kubernetesVersion = '1.37.2';
export const chart = fileURLToPath(new URL('../../deploy/chart', import.meta.url));

/** An object of Kubernetes, with the fields used here. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string; annotations?: Record<string, string> };
  [field: string]: unknown;
}

/** @returns Helm's file @throws Error without Go */
export const buildHelm = (): Promise<string> =>
  goProgram('helm', { module: 'helm.sh/helm/v3', program: 'cmd/helm', version: 'v3.22.0' });

/** @throws Error without Go */
export async function openHelm() {
  const program = await buildHelm();
  return {
    /** @returns the mistakes in the chart */
    async lint(): Promise<string[]> {
      const args = ['lint', '--strict', '--quiet', chart];
      return await run(program, args).then(
        () => [],
        (error: { stdout: string }) => [`helm lint: ${error.stdout}`],
      );
    },
    /**
     * Renders the chart.
     * @param values what differs from values.yaml
     * @param set the same, as `name=value`
     * @throws Helm's errors
     */
    async template({ values = {}, set }: { values?: object; set?: string }) {
      const version = ['--kube-version', kubernetesVersion];
      const args = ['template', 'events', chart, '--namespace', 'rewards', ...version];
      const settings = ['--values', '-', ...(set === undefined ? [] : ['--set', set])];
      const running = run(program, [...args, ...settings], { maxBuffer: 16 * 1024 * 1024 });
      running.child.stdin?.end(JSON.stringify(values));
      const { stdout } = await running;
      const objects = parseAllDocuments(stdout).map((document) => document.toJS());
      return objects.filter((object): object is KubernetesObject => object !== null);
    },
  };
}
