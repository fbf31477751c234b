import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

/**
 * Bundles the workflows once for several workers; each would otherwise do so for itself, for seconds.
 * @returns the file, for `WORKFLOW_BUNDLE`
 */
export async function bundleWorkflows(folder: string): Promise<string> {
  const { code } = await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('../workflows/index.ts', import.meta.url)),
    logger: new DefaultLogger('WARN'),
  });
  const file = join(folder, 'workflows.js');
  await writeFile(file, code);
  return file;
}
