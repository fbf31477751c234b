import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

/** `bundle-workflows.ts <file>`: the workflows as a worker runs them, so that none bundles them at its start. */
const [file = 'workflow-bundle.js'] = process.argv.slice(2);
const pathOf = (module: string) =>
  fileURLToPath(new URL(`../../workflows/${module}`, import.meta.url));
const { code } = await bundleWorkflowCode({
  workflowsPath: pathOf('index.ts'),
  workflowInterceptorModules: [pathOf('trace-header.ts')],
  logger: new DefaultLogger('WARN'),
});
await writeFile(file, code);
