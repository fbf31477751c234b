import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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
  const cacheDir = join(root, 'node_modules', '.cache', name);
  const file = join(cacheDir, `${contentHash(sources)}.js`);
  if (existsSync(file)) return file;
  const code = await make();
  await mkdir(cacheDir, { recursive: true });
  // Moved into place atomically, because another start may be looking for it.
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, code);
  await rename(draft, file);
  return file;
}

function contentHash(sources: readonly string[]): string {
  const hash = createHash('sha256').update(process.version);
  for (const path of ['package-lock.json', ...sources.flatMap(filesUnder)].toSorted()) {
    hash.update(`\n${path}\n`).update(readFileSync(join(root, path)));
  }
  return hash.digest('hex').slice(0, 32);
}

function filesUnder(source: string): string[] {
  if (source.endsWith('.ts')) return [source];
  return readdirSync(join(root, source), { withFileTypes: true }).flatMap((entry) => {
    const path = join(source, entry.name);
    if (entry.isDirectory()) return entry.name === 'dist' ? [] : filesUnder(path);
    return [path];
  });
}
