import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import pLimit from 'p-limit';
import { ServiceError } from '../domain/errors.ts';

const argon = promisify(argon2);
/** Concurrent hashes in a process: hashing shares its threads with file access and DNS. */
const hashes = pLimit(2);
/** As many as are finished within a few seconds; any more are refused immediately. */
const maxWaiting = 16;

/** @throws ServiceError UNAVAILABLE if too many are waiting */
async function derive(...hashing: Parameters<typeof argon>): Promise<Buffer> {
  if (hashes.pendingCount >= maxWaiting) {
    throw new ServiceError(
      'UNAVAILABLE',
      'Too many people are signing in right now. Try again in a moment.',
      {
        'Retry-After': '5',
      },
    );
  }
  return await hashes(() => argon(...hashing));
}

/** The cost of one guess: 19 MiB and two passes, as OWASP recommends. */
const cost = { memoryKib: 19_456, passes: 2, parallelism: 1 } as const;
const saltBytes = 16;
const hashBytes = 32;

const form =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** @returns the hash in PHC format, which contains the algorithm, its parameters and the salt */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  const { memoryKib: memory, passes, parallelism } = cost;
  const message = Buffer.from(password.normalize('NFC'), 'utf8');
  const hash = await derive('argon2id', {
    message,
    nonce: salt,
    memory,
    passes,
    parallelism,
    tagLength: hashBytes,
  });
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(hash)}`;
}

/**
 * Whether a password matches a hash, by the parameters in the hash.
 * @throws Error if `stored` is not such a hash
 */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [, memory, passes, parallelism, salt = '', hash = ''] = form.exec(stored) ?? [];
  if (hash === '') throw new Error('This is not a password hash.');
  const expected = Buffer.from(hash, 'base64');
  const derived = await derive('argon2id', {
    message: Buffer.from(password.normalize('NFC'), 'utf8'),
    nonce: Buffer.from(salt, 'base64'),
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    tagLength: expected.length,
  });
  return timingSafeEqual(expected, derived);
}

/** Without padding, as the PHC format requires. */
function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replace(/=+$/, '');
}
