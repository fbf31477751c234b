import type { Config } from '../platform/config.ts';

/** Where an operator reads a workflow's history. */
export function temporalUrl({ temporal }: Pick<Config, 'temporal'>, workflowId: string): string {
  const base = temporal.uiUrl.replace(/\/$/, '');
  return `${base}/namespaces/${temporal.namespace}/workflows/${encodeURIComponent(workflowId)}`;
}
