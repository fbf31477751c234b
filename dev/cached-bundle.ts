import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * A bundle that is made once for all processes and later starts, until its sources change. Otherwise each process
 * would spend seconds on it.
 * @param name of the folder that it is kept in
 * @param sources the folders and files that it is made of
 * @returns the file
 */
export async function cachedBundle(
  name: string,
  sources: readonly string[],
  make: () => Promise<string | Buffer>,
): Promise<string> {
  return await cached(`${name}/${contentHash(sources)}.js`, async (draft) => {
    await writeFile(draft, await make());
  });
}

/** A folder that is made once in the same way. @param make fills the folder, which is there already */
export const cachedFolder = (
  name: string,
  sources: readonly string[],
  make: (folder: string) => Promise<void>,
): Promise<string> =>
  cached(`${name}/${contentHash(sources)}`, async (draft) => {
    await mkdir(draft);
    await make(draft);
  });

/** @returns what is or was made, a file or a folder */
async function cached(name: string, make: (draft: string) => Promise<void>): Promise<string> {
  const path = join(root, 'node_modules', '.cache', name);
  if (existsSync(path)) return path;
  await mkdir(dirname(path), { recursive: true });
  // Moved into place atomically, because another start may be looking for it.
  const draft = `${path}.${process.pid}`;
  await make(draft);
  try {
    await rename(draft, path);
  } catch (error) {
    // Another start was faster: a folder does not replace one.
    if (!existsSync(path)) throw error;
    await rm(draft, { recursive: true });
  }
  return path;
}

function contentHash(sources: readonly string[]): string {
  const hash = createHash('sha256').update(process.version);
  for (const path of ['package-lock.json', ...sources.flatMap(filesUnder)].toSorted()) {
    hash.update(`\n${path}\n`).update(readFileSync(join(root, path)));
  }
  return hash.digest('hex').slice(0, 32);
}

const made = new Set(['dist', '__pycache__', 'vendor']);

function filesUnder(source: string): string[] {
  if (source.endsWith('.ts')) return [source];
  return readdirSync(join(root, source), { withFileTypes: true }).flatMap((entry) => {
    const path = join(source, entry.name);
    if (entry.isDirectory()) return made.has(entry.name) ? [] : filesUnder(path);
    return [path];
  });
}
