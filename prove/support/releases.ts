import { execFile } from 'node:child_process';
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { nodeOf, projectFolder, type Release } from './processes.ts';
import type { CreatedShops } from './shops.ts';

const run = promisify(execFile);
const maxBuffer = 16 * 1024 * 1024;

const git = async (...args: string[]): Promise<string> =>
  (await run('git', args, { cwd: projectFolder, maxBuffer })).stdout.trim();

/** The current tree, including uncommitted changes. */
export async function hereRelease(): Promise<Release> {
  const name = await git('describe', '--always', '--dirty').catch(() => 'this tree');
  return { name, folder: projectFolder, bundle: await bundleOf(projectFolder) };
}

/**
 * Checks out a previous release into its own folder, and installs its dependencies.
 * @param commit or tag
 * @throws Error if git does not know it
 */
export async function formerRelease(commit: string, folder: string): Promise<Release> {
  await git('worktree', 'prune');
  await git('worktree', 'add', '--detach', folder, commit);
  const quiet = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  await run('npm', ['ci', ...quiet], { cwd: folder, maxBuffer });
  // The shops are described by this tree, and made by that release's code.
  await mkdir(join(folder, 'prove/support'), { recursive: true });
  for (const file of ['shops.ts', 'traffic-log.ts']) {
    await copyFile(join(projectFolder, 'prove/support', file), join(folder, 'prove/support', file));
  }
  const name = `former ${await git('describe', '--tags', '--always', commit)}`;
  return { name, folder, bundle: await bundleOf(folder) };
}

export const removeRelease = ({ folder }: Release): Promise<string> =>
  git('worktree', 'remove', '--force', folder);

/** With the release's own code and SDK. */
async function bundleOf(folder: string): Promise<string> {
  const script =
    "const { bundleWorkflows } = await import('./dev/bundle-workflows.ts'); process.stdout.write(await bundleWorkflows())";
  const args = ['--input-type=module', '--eval', script];
  return lastLineOf(await runIn({ folder }, args, process.env));
}

/** Shops that a release's own code creates, so that everything is stored in its form. */
export async function createShopsOf(
  release: Release,
  env: NodeJS.ProcessEnv,
  { baseUrl, hookUrl }: { baseUrl: string; hookUrl: string },
): Promise<CreatedShops> {
  return JSON.parse(
    lastLineOf(await runIn(release, ['prove/support/shops.ts', baseUrl, hookUrl], env)),
  );
}

const lastLineOf = ({ stdout }: { stdout: string }) => stdout.trim().split('\n').at(-1) ?? '';

/** Runs a command of a release on the release's own Node. @throws Error with its output */
export async function runIn(
  { folder }: Pick<Release, 'folder'>,
  args: string[],
  env: NodeJS.ProcessEnv,
) {
  return await run(nodeOf({ folder }), args, { cwd: folder, env, maxBuffer });
}
