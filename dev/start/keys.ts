import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { replaceFile } from './replace-file.ts';

/** The secrets of a local service, as environment variables. */
export interface LocalKeys {
  MASTER_KEYS: string;
  CUSTOMER_HASH_KEY: string;
}

const keyBytes = 32;

/**
 * Reads the local keys, or creates them on the first start (mode 0600). Without them, data encrypted by
 * earlier starts could not be opened.
 */
export async function loadLocalKeys(file: string): Promise<LocalKeys> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text !== undefined) return JSON.parse(text);
  const keys: LocalKeys = {
    MASTER_KEYS: `dev1:${randomBytes(keyBytes).toString('base64')}`,
    CUSTOMER_HASH_KEY: randomBytes(keyBytes).toString('base64'),
  };
  await replaceFile(file, `${JSON.stringify(keys, null, 2)}\n`);
  return keys;
}
