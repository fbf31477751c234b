import { createHmac, type KeyObject } from 'node:crypto';
import { ConfigError } from '../../platform/config.ts';
import type { GivenKey } from '../../platform/master-keys.ts';
import type { Models } from '../schemas/index.ts';
import { insertMissing } from './insert-once.ts';

/** The keys that what is stored depends on. */
export interface StoredUnder {
  customerHashKey: KeyObject;
  /** Those that are still wrapped are not compared. */
  masterKeys: readonly GivenKey[];
}

/** Shows nothing of a key, and is the same only for the same one. */
const checkValueOf = (key: KeyObject): string =>
  createHmac('sha256', key).update('partner-events key check').digest('base64url');

const hashKeyName = 'CUSTOMER_HASH_KEY';
const masterKeyName = (id: string) => `MASTER_KEYS/${id}`;

/**
 * Compares the keys with those that this database has been used with, and remembers new master keys. With another key,
 * customers would get new ids and the ledger hashes that nobody can check, for good; and what is sealed could not be
 * opened.
 * @throws ConfigError naming the variable that has another key, or lacks one
 */
export async function checkKeys(
  { keyChecks }: Models,
  { customerHashKey, masterKeys }: StoredUnder,
): Promise<void> {
  const given = new Map([
    [hashKeyName, checkValueOf(customerHashKey)],
    ...masterKeys.flatMap((one) =>
      'key' in one ? [[masterKeyName(one.id), checkValueOf(one.key)] as const] : [],
    ),
  ]);
  const named = new Set([hashKeyName, ...masterKeys.map(({ id }) => masterKeyName(id))]);
  const stored = await readChecks(keyChecks);
  requireSame(stored, given, named);
  const absent = [...given].flatMap(([_id, value]) => (stored.has(_id) ? [] : [{ _id, value }]));
  // Another process may have been faster, with another key.
  if (!(await insertMissing(keyChecks, absent))) {
    requireSame(await readChecks(keyChecks), given, named);
  }
}

const readChecks = async (keyChecks: Models['keyChecks']) =>
  new Map((await keyChecks.find()).map(({ _id, value }) => [_id, value]));

function requireSame(
  stored: ReadonlyMap<string, string>,
  given: ReadonlyMap<string, string>,
  named: ReadonlySet<string>,
): void {
  for (const [name, value] of stored) {
    const [variable, id] = name.split('/');
    if (!named.has(name)) {
      throw new ConfigError(
        `${variable} lacks the key “${id}”, under which this database may hold sealed data.`,
      );
    }
    if (given.has(name) && given.get(name) !== value) {
      const which = id === undefined ? 'another key' : `another key under the id “${id}”`;
      throw new ConfigError(`${variable} has ${which} than this database was used with.`);
    }
  }
}
