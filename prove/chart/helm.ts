import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { buildGo } from '../../dev/tools/go.ts';

const run = promisify(execFile);
export const chart = fileURLToPath(new URL('../../deploy/chart', import.meta.url));

/** An object of Kubernetes, with the fields used here. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  [field: string]: unknown;
}

/** Helm in the version of dev/tools/helm. @returns its file @throws Error without Go */
export const buildHelm = (): Promise<string> =>
  buildGo(new URL('../../dev/tools/helm/', import.meta.url), 'helm', 'helm.sh/helm/v3/cmd/helm');

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
    /** Renders the chart. @param settings `name=value` each. @throws Helm's errors */
    async template(settings: readonly string[]): Promise<KubernetesObject[]> {
      const set = settings.flatMap((one) => ['--set', one]);
      const version = ['--kube-version', kubernetesVersion];
      const args = ['template', 'events', chart, '--namespace', 'rewards', ...version, ...set];
      const { stdout } = await run(program, args, { maxBuffer: 16 * 1024 * 1024 });
      return parseAllDocuments(stdout)
        .map((document) => document.toJS())
        .filter((object) => object !== null);
    },
  };
}

/** The version of the module in dev/tools/kubernetes. */
const kubernetesVersion = '1.37.2';
