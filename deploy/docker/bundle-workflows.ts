import { writeFile } from 'node:fs/promises';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { workflowSource } from '../../temporal/workflows.ts';

/** `bundle-workflows.ts <file>`: bundles the workflows ahead of time, so that no worker has to when it starts. */
const [file = 'workflow-bundle.js'] = process.argv.slice(2);
const { code } = await bundleWorkflowCode({
  ...workflowSource,
  logger: new DefaultLogger('WARN'),
});
await writeFile(file, code);
