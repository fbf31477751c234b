import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const here = fileURLToPath(new URL('../../', import.meta.url));
const longestOutput = 16 * 1024 * 1024;

/**
 * Since this commit, each release reads everything that its neighbours store, and replays their histories.
 * Earlier ones changed stored names and the purchase's workflow in one step, since nothing was deployed.
 */
export const compatibleSince = { commit: '5d3cf58d', date: '2026-11-25' };

/** A previous or the current version of the service. */
export interface Release {
  /** For display: a tag, or a short commit hash. */
  name: string;
  /** The project's folder, with dependencies installed. */
  folder: string;
  /** Its workflow bundle, built with its own code. */
  bundle: string;
}

const git = async (...args: string[]): Promise<string> =>
  (await run('git', args, { cwd: here, maxBuffer: longestOutput })).stdout.trim();

/** The current tree, including uncommitted changes. */
export async function presentRelease(): Promise<Release> {
  const name = await git('describe', '--always', '--dirty');
  return { name, folder: here, bundle: await bundleOf(here) };
}

/**
 * Checks out a previous release into its own folder, and installs its dependencies.
 * @param wanted a tag or a commit; by default the latest tag, or without one the oldest commit that the
 * current release is compatible with
 * @throws Error if git does not know it
 */
export async function formerRelease(wanted: string | undefined, folder: string): Promise<Release> {
  const commit = wanted ?? (await latestTag()) ?? compatibleSince.commit;
  await git('worktree', 'prune');
  await git('worktree', 'add', '--detach', folder, commit);
  const quiet = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  // Older releases need install scripts, one of which brings their Node.
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

/** With the release's own code and SDK. */
async function bundleOf(folder: string): Promise<string> {
  const script =
    "const { bundleWorkflows } = await import('./dev/bundle-workflows.ts'); process.stdout.write(await bundleWorkflows())";
  const { stdout } = await runIn(folder, ['--input-type=module', '--eval', script], process.env);
  return stdout.trim().split('\n').at(-1) ?? '';
}

/** Runs a command of a release on the release's own Node. @throws Error with its output */
export async function runIn(folder: string, args: string[], env: NodeJS.ProcessEnv) {
  const node = join(folder, 'node_modules', '.bin', 'node');
  return await run(node, args, { cwd: folder, env, maxBuffer: longestOutput });
}
