import { secretVariables, variables } from '../../platform/config.ts';
import type { KubernetesObject } from './helm.ts';

interface Container {
  name: string;
  image: string;
  env?: { name: string; value?: string; valueFrom?: unknown }[];
  securityContext: Record<string, unknown>;
  resources?: { requests?: object; limits?: { memory?: string } };
}

interface PodSpec {
  securityContext: Record<string, unknown>;
  automountServiceAccountToken: boolean;
  initContainers?: Container[];
  containers: Container[];
}

interface Templated {
  template?: { spec?: PodSpec };
}

const names: string[] = Object.keys(variables);
/** The variables that OpenTelemetry reads itself. */
const ofTraces = /^OTEL_/;

/** Finds rules that an object with containers breaks and a schema cannot express. */
export function unsafeIn({ kind, metadata, spec }: KubernetesObject): string[] {
  const { groups } = (spec ?? {}) as { groups?: unknown[] };
  if (kind === 'PrometheusRule' && !groups?.length) return ['the chart has no alerts'];
  const { template, jobTemplate } = (spec ?? {}) as Templated & {
    jobTemplate?: { spec: Templated };
  };
  const pod = (jobTemplate?.spec ?? { template }).template?.spec;
  if (pod === undefined) return [];
  const problems: string[] = [];
  const hold = (isSo: boolean, what: string) => {
    if (!isSo) problems.push(`${kind} ${metadata.name}: ${what}`);
  };
  hold(pod.securityContext.runAsNonRoot === true, 'can run as root');
  hold(pod.automountServiceAccountToken === false, 'gets a Kubernetes token');
  const { initContainers = [], containers } = pod;
  for (const { env = [], securityContext, resources } of [...initContainers, ...containers]) {
    hold(securityContext.readOnlyRootFilesystem === true, 'can write to its image');
    hold(securityContext.allowPrivilegeEscalation === false, 'can gain privileges');
    hold(resources?.limits?.memory !== undefined, 'has no memory limit');
    for (const { name, value = '', valueFrom } of env) {
      // What only other variables name.
      if (valueFrom !== undefined) continue;
      const plain = name.replace(/_FILE$/, '');
      const isSecret = secretVariables.includes(plain);
      hold(
        names.includes(name) || isSecret || ofTraces.test(name),
        `sets ${name}, which is not a variable`,
      );
      hold(
        !isSecret || (name.endsWith('_FILE') && value.startsWith('/')),
        `has ${name} in its environment`,
      );
    }
  }
  return problems;
}
