import { workflowSource } from '../temporal/workflows.ts';
import { cachedBundle } from './cached-bundle.ts';

/** Bundles the workflows (`test/architecture.test.ts` holds that they import nothing else). @returns the file, for `WORKFLOW_BUNDLE` */
export const bundleWorkflows = (): Promise<string> =>
  cachedBundle('workflows', ['workflows', 'domain', 'temporal/workflows.ts'], async () => {
    const { bundleWorkflowCode, DefaultLogger } = await import('@temporalio/worker');
    const logger = new DefaultLogger('WARN');
    return (await bundleWorkflowCode({ ...workflowSource, logger })).code;
  });
