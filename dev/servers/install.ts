import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Adds a folder to the cache. The folder is assembled next to its final place and then moved, so concurrent
 * runs do no harm.
 * @param id the folder's name; contains the version, so that a new version is a new folder
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
      // Another run was faster, with the same content.
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
