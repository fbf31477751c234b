import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const here = fileURLToPath(new URL('../../', import.meta.url));
const longestOutput = 16 * 1024 * 1024;

/**
 * From this commit on, a release reads everything that the one before it stored, and the other way round, and
 * replays its histories. Earlier ones changed stored names and the purchase's workflow in one step, since
 * nothing was deployed.
 */
export const compatibleSince = { commit: 'f0eb8c03', date: '2026-11-25' };

/** The service as it was, or is to be. */
export interface Release {
  /** For people: a tag, or a commit's short hash. */
  name: string;
  /** The project's folder, its dependencies installed. */
  folder: string;
  /** Its workflows, bundled by itself. */
  bundle: string;
}

const git = async (...args: string[]): Promise<string> =>
  (await run('git', args, { cwd: here, maxBuffer: longestOutput })).stdout.trim();

/** What stands here, changes that are not committed included. */
export async function presentRelease(): Promise<Release> {
  const name = await git('describe', '--always', '--dirty');
  return { name, folder: here, bundle: await bundleOf(here) };
}

/**
 * Checks a former release out into a folder of its own, and installs what it depends on.
 * @param wanted a tag or a commit; without it, the latest tag, or where there is none, the oldest commit that
 *   the present release is compatible with
 * @throws Error where git does not know it
 */
export async function formerRelease(wanted: string | undefined, folder: string): Promise<Release> {
  const commit = wanted ?? (await latestTag()) ?? compatibleSince.commit;
  await git('worktree', 'prune');
  await git('worktree', 'add', '--detach', folder, commit);
  const quiet = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  // In releases before packages ran nothing it is a script that brings their Node.
  await run('npm', ['ci', '--ignore-scripts=false', ...quiet], {
    cwd: folder,
    maxBuffer: longestOutput,
  });
  const name = await git('describe', '--tags', '--always', commit);
  return { name, folder, bundle: await bundleOf(folder) };
}

export async function removeRelease({ folder }: Release): Promise<void> {
  await git('worktree', 'remove', '--force', folder);
}

const latestTag = (): Promise<string | undefined> =>
  git('describe', '--tags', '--abbrev=0', 'HEAD^').catch(() => undefined);

/** By the release's own code and SDK. */
async function bundleOf(folder: string): Promise<string> {
  const script =
    "const { bundleWorkflows } = await import('./dev/bundle-workflows.ts'); process.stdout.write(await bundleWorkflows())";
  const { stdout } = await runIn(folder, ['--input-type=module', '--eval', script], process.env);
  return stdout.trim().split('\n').at(-1) ?? '';
}

/** Runs a command of a release to its end, on the release's own Node. @throws Error with what it said */
export async function runIn(folder: string, args: string[], env: NodeJS.ProcessEnv) {
  const node = join(folder, 'node_modules', '.bin', 'node');
  return await run(node, args, { cwd: folder, env, maxBuffer: longestOutput });
}
