import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

const lookEveryMs = 10_000;

/**
 * Waits until files have changed and their new content has stayed the same for one interval, so that
 * a certificate and its key, replaced one after the other, count as one change. A file that is
 * missing or empty has not changed yet. Polls, since orchestrators replace files by links.
 * @param files their paths; without any, the promise never settles
 * @param everyMs how often they are read
 */
export async function filesChanged(files: string[], everyMs = lookEveryMs): Promise<void> {
  if (files.length === 0) return new Promise(() => undefined);
  const contents = (): Promise<string[]> =>
    Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
  const isEqual = (one: string[], other: string[]): boolean =>
    one.every((content, index) => content === other[index]);
  const first = await contents();
  for (let last = first; ; ) {
    await delay(everyMs, undefined, { ref: false });
    const now = await contents();
    if (isEqual(now, last) && !isEqual(now, first) && !now.includes('')) return;
    last = now;
  }
}
