import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** @throws Error unless it is 32 bytes as base64 */
export function readSealingKey(encoded: string | undefined): Buffer {
  const key = Buffer.from(encoded ?? '', 'base64');
  if (key.length === 32) return key;
  throw new Error(
    'The option sealingKey of medusa-plugin-partner-events must be 32 bytes as base64: `openssl rand -base64 32`.',
  );
}

/** @param about what the secret belongs to: it can't be opened as another's */
export function seal(key: Buffer, about: string, secret: string): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(about));
  const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
}

/** @throws Error if it was sealed with another key or about something else, or was changed */
export function open(key: Buffer, about: string, sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64');
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  })
    .setAAD(Buffer.from(about))
    .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  const opened = decipher.update(bytes.subarray(nonceBytes + tagBytes));
  return Buffer.concat([opened, decipher.final()]).toString('utf8');
}
