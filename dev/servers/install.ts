import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Puts a folder into the cache. It is put together beside its place and moved there at once, so two
 * runs at a time do no harm.
 * @param id names the folder; holds the version, so that a new version is a new folder
 * @param assemble fills the draft
 * @returns the folder
 */
export async function installAtOnce(
  cacheDir: string,
  id: string,
  assemble: (draft: string) => Promise<void>,
): Promise<string> {
  const place = join(cacheDir, id);
  await mkdir(cacheDir, { recursive: true });
  const draft = await mkdtemp(join(cacheDir, 'draft-'));
  const discard = (): void => rmSync(draft, { recursive: true, force: true });
  process.once('exit', discard);
  try {
    await assemble(draft);
    await rename(draft, place).catch(async (error: unknown) => {
      // Somebody else was quicker: theirs has the same content.
      if (!(await exists(place))) throw error;
    });
  } finally {
    process.off('exit', discard);
    discard();
  }
  return place;
}

export async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}
