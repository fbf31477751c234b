import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const pauseMs = 500;
/** An installation that takes longer than this was killed. */
const longestMs = 30 * 60_000;

/**
 * Installs something into a folder unless it is there already; of several concurrent processes one installs,
 * and the others wait.
 * @param folder with a trailing slash
 * @param wanted identifies the content: a different one is installed again
 */
export async function installOnce(
  folder: URL,
  wanted: string,
  install: () => Promise<void>,
): Promise<void> {
  const mark = new URL('complete', folder);
  const lock = new URL(`../${folder.pathname.split('/').at(-2)}.lock/`, folder);
  const isHere = async () => (await readFile(mark, 'utf8').catch(() => null)) === wanted;
  if (await isHere()) return;
  await oneAtATime(lock, async () => {
    if (await isHere()) return;
    await mkdir(folder, { recursive: true });
    await install();
    await writeFile(mark, wanted);
  });
}

/**
 * Runs some work while no other process does.
 * @param lock a folder that exists meanwhile, with a trailing slash
 */
export async function oneAtATime(lock: URL, work: () => Promise<void>): Promise<void> {
  await mkdir(new URL('../', lock), { recursive: true });
  while (await isTaken(lock)) await sleep(pauseMs);
  try {
    await work();
  } finally {
    await rm(lock, { recursive: true, force: true });
  }
}

/** Takes the lock if it is free. */
async function isTaken(lock: URL): Promise<boolean> {
  try {
    await mkdir(lock);
    return false;
  } catch {
    const taken = await stat(lock).catch(() => null);
    if (taken && Date.now() - taken.mtimeMs > longestMs) await rm(lock, { recursive: true });
    return true;
  }
}
