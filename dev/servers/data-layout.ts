import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Counts the forms that a data folder has had; the first, of version 0.1, did not say which it is. */
const layout = 3;
const fileName = 'layout.json';

/**
 * Makes the data folder, or makes sure that this version made it. A folder of another version is left
 * untouched: what it holds could not be carried on.
 * @throws Error that says what to do
 */
export async function claimDataFolder(dataDir: string): Promise<void> {
  const file = join(dataDir, fileName);
  const text = await readFile(file, 'utf8').catch(() => undefined);
  const found = text === undefined ? undefined : (JSON.parse(text) as { layout: number }).layout;
  if (found === layout) return;
  if (found !== undefined || existsSync(join(dataDir, 'mongodb'))) {
    throw new Error(
      `${dataDir} was made by another version of this service, whose purchases this one cannot carry on. Nothing in it was touched.\n` +
        'Begin anew beside it with DATA_DIR=.data-2 npm start, or move it away first. What it holds can be looked at with the version that made it.',
    );
  }
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await writeFile(file, `${JSON.stringify({ layout })}\n`, { mode: 0o600 });
}
