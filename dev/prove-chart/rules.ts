import { configSchema, secretVariables } from '../../platform/config.ts';
import type { KubernetesObject } from './helm.ts';

interface Container {
  name: string;
  image: string;
  env: { name: string; value: string }[];
  securityContext: Record<string, unknown>;
  resources?: { requests?: object; limits?: { memory?: string } };
}

interface PodSpec {
  securityContext: Record<string, unknown>;
  automountServiceAccountToken: boolean;
  containers: Container[];
}

const variables = Object.keys(configSchema.describe().keys);
/** What OpenTelemetry reads by itself. */
const ofTraces = /^OTEL_/;

/** What an object that runs containers does not hold to: what cannot be said by a schema. */
export function unsafeIn({ kind, metadata, spec }: KubernetesObject): string[] {
  const { groups } = (spec ?? {}) as { groups?: unknown[] };
  if (kind === 'PrometheusRule' && !groups?.length) return ['the chart brings no alerts'];
  const pod = (spec as { template?: { spec?: PodSpec } } | undefined)?.template?.spec;
  if (pod === undefined) return [];
  const problems: string[] = [];
  const hold = (isSo: boolean, what: string) => {
    if (!isSo) problems.push(`${kind} ${metadata.name}: ${what}`);
  };
  hold(pod.securityContext.runAsNonRoot === true, 'may run as root');
  hold(pod.automountServiceAccountToken === false, 'is given a token of Kubernetes');
  for (const { env, securityContext, resources } of pod.containers) {
    hold(securityContext.readOnlyRootFilesystem === true, 'writes to its image');
    hold(securityContext.allowPrivilegeEscalation === false, 'may become more than it is');
    hold(resources?.limits?.memory !== undefined, 'has no limit of memory');
    for (const { name, value } of env) {
      const plain = name.replace(/_FILE$/, '');
      const isSecret = secretVariables.includes(plain);
      hold(
        variables.includes(name) || isSecret || ofTraces.test(name),
        `sets ${name}, which is no variable`,
      );
      hold(
        !isSecret || (name.endsWith('_FILE') && value.startsWith('/')),
        `has ${name} in its environment`,
      );
    }
  }
  return problems;
}
