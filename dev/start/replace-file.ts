import { chmod, rename, writeFile } from 'node:fs/promises';

/** Writes a file that only its owner reads, in one step: whoever reads it finds all of it, also after a kill. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const part = `${path}.${process.pid}.part`;
  await writeFile(part, text, { mode: 0o600 });
  await chmod(part, 0o600);
  await rename(part, path);
}
