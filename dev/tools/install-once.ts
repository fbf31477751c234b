import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const pauseMs = 500;
/** An installation that takes longer than this was killed. */
const longestMs = 10 * 60_000;

/**
 * Installs something into a folder unless it is there already; of several processes that ask at a time,
 * one installs, and the others wait for it.
 * @param folder with a slash at its end
 * @param wanted names what is installed: anything else is installed anew
 */
export async function installOnce(
  folder: URL,
  wanted: string,
  install: () => Promise<void>,
): Promise<void> {
  const mark = new URL('complete', folder);
  const lock = new URL(`../${folder.pathname.split('/').at(-2)}.lock/`, folder);
  const isHere = async () => (await readFile(mark, 'utf8').catch(() => null)) === wanted;
  await mkdir(new URL('../', folder), { recursive: true });
  while (!(await isHere())) {
    if (await isTaken(lock)) {
      await sleep(pauseMs);
      continue;
    }
    try {
      if (await isHere()) return;
      await mkdir(folder, { recursive: true });
      await install();
      await writeFile(mark, wanted);
    } finally {
      await rm(lock, { recursive: true, force: true });
    }
  }
}

/** Takes the lock where nobody has it. */
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
