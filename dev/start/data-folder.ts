import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from './replace-file.ts';

/** The version of the data folder's layout. The first one, of release 0.1, was not recorded. */
const layout = 4;
const fileName = 'layout.json';

/**
 * Creates the data folder, or checks that this version created it. A folder of another version is left
 * untouched, as its workflows could not continue.
 * @throws Error that says what to do
 */
export async function claimDataFolder(dataDir: string): Promise<void> {
  const file = join(dataDir, fileName);
  const text = await readFile(file, 'utf8').catch(() => undefined);
  const found = text === undefined ? undefined : (JSON.parse(text) as { layout: number }).layout;
  if (found === layout) return;
  if (found !== undefined || existsSync(join(dataDir, 'mongodb'))) {
    throw new Error(
      `${dataDir} was created by another version of this service, whose purchases this version cannot continue. Nothing in it was changed.\n` +
        'Use a new one with DATA_DIR=.data-2 npm start, or move it away first. The version that created it can still open it.',
    );
  }
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await replaceFile(file, `${JSON.stringify({ layout })}\n`);
}
