import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { workflowSource } from '../temporal/workflows.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const options = join(root, 'temporal', 'workflows.ts');
const cacheDir = join(root, 'node_modules', '.cache', 'workflows');

/**
 * Bundles the workflows once for all workers and later starts, until their sources change. Otherwise each
 * worker would spend seconds on it.
 * @returns the file, for `WORKFLOW_BUNDLE`
 */
export async function bundleWorkflows(): Promise<string> {
  const file = join(cacheDir, `${contentHash()}.js`);
  if (existsSync(file)) return file;
  const { bundleWorkflowCode, DefaultLogger } = await import('@temporalio/worker');
  const { code } = await bundleWorkflowCode({
    ...workflowSource,
    logger: new DefaultLogger('WARN'),
  });
  await mkdir(cacheDir, { recursive: true });
  // Moved into place atomically, because another start may be looking for it.
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, code);
  await rename(draft, file);
  return file;
}

/** A hash of everything that workflows import (`test/architecture.test.ts` enforces that it is complete). */
function contentHash(): string {
  const hash = createHash('sha256').update(process.version);
  const sources = ['workflows', 'domain'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  for (const path of [join(root, 'package-lock.json'), options, ...sources.toSorted()]) {
    hash.update(`\n${path}\n`).update(readFileSync(path));
  }
  return hash.digest('hex').slice(0, 32);
}
