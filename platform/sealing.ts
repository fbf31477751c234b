import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import type { GivenKey, MasterKey } from './master-keys.ts';

/**
 * Seals text so that it can be stored, or appear in a workflow history.
 *
 * Envelope encryption with AES-256-GCM: a new data key encrypts the text, the master key encrypts
 * the data key, and both are bound to the context (for a signing secret, the credential id), so
 * that a sealed text moved to another record does not open. The format is `v1.<master key
 * id>.<encrypted data key>.<encrypted text>`, the last two iv ‖ tag ‖ ciphertext in base64url.
 */
export interface Sealer {
  seal(text: string, context: string): string;
  /**
   * Seals in two parts that are stored separately: without the first, the second cannot be opened.
   * Joined by a dot, they are what `seal` returns.
   */
  sealApart(text: string, context: string): { wrappedKey: string; body: string };
  /**
   * @throws Error if the text was altered, belongs to another context, or its master key is missing
   */
  open(sealed: string, context: string): string;
}

const ivBytes = 12;
const tagBytes = 16;

/** @param masterKeys the first one seals, all of them open; to rotate, put a new key first */
export function createSealer(masterKeys: readonly GivenKey[]): Sealer {
  const opened = masterKeys.map(requireOpened);
  const [current] = opened;
  if (!current) throw new Error('A sealer needs at least one master key.');
  const byId = new Map(opened.map((master) => [master.id, master.key]));

  const sealApart: Sealer['sealApart'] = (text, context) => {
    const dataKey = randomBytes(32);
    const wrapped = encrypt(current.key, dataKey, context).toString('base64url');
    const body = encrypt(createSecretKey(dataKey), Buffer.from(text, 'utf8'), context).toString(
      'base64url',
    );
    return { wrappedKey: `v1.${current.id}.${wrapped}`, body };
  };
  return {
    seal(text, context) {
      const { wrappedKey, body } = sealApart(text, context);
      return `${wrappedKey}.${body}`;
    },
    sealApart,
    open(sealed, context) {
      const [version, masterKeyId = '', wrapped = '', body = '', ...rest] = sealed.split('.');
      const master = byId.get(masterKeyId);
      if (version !== 'v1' || !master)
        throw new Error(`No master key "${masterKeyId}" to open this.`);
      if (rest.length > 0) throw new Error('A sealed text has four parts.');
      const dataKey = createSecretKey(decrypt(master, decode(wrapped), context));
      return decrypt(dataKey, decode(body), context).toString('utf8');
    },
  };
}

function requireOpened(given: GivenKey): MasterKey {
  if ('key' in given) return given;
  throw new Error(`The master key “${given.id}” is still wrapped.`);
}

/**
 * Node skips invalid characters and ignores surplus bits; a sealed text must have one spelling
 * only.
 */
function decode(part: string): Buffer {
  const bytes = Buffer.from(part, 'base64url');
  if (bytes.toString('base64url') !== part) throw new Error('A sealed text has been altered.');
  return bytes;
}

function encrypt(key: KeyObject, plain: Buffer, context: string): Buffer {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(context, 'utf8'));
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), body]);
}

function decrypt(key: KeyObject, sealed: Buffer, context: string): Buffer {
  const iv = sealed.subarray(0, ivBytes);
  const tag = sealed.subarray(ivBytes, ivBytes + tagBytes);
  const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: tagBytes })
    .setAAD(Buffer.from(context, 'utf8'))
    .setAuthTag(tag);
  return Buffer.concat([decipher.update(sealed.subarray(ivBytes + tagBytes)), decipher.final()]);
}
