import type { Config } from '../platform/config.ts';

/** The URL of a workflow's history in the Temporal UI. */
export function temporalUrl({ temporal }: Pick<Config, 'temporal'>, workflowId: string): string {
  const base = temporal.uiUrl.replace(/\/$/, '');
  return `${base}/namespaces/${temporal.namespace}/workflows/${encodeURIComponent(workflowId)}`;
}
