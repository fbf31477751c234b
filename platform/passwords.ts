import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { ServiceError } from '../domain/errors.ts';

const argon = promisify(argon2);
/** At a time, in a process: hashing shares its threads with files and names of hosts. */
const atOnce = 2;
/** As many wait as are done within a few seconds; whoever comes then is told at once. */
const maxWaiting = 16;
let running = 0;
const waiting: (() => void)[] = [];

/** @throws ServiceError UNAVAILABLE while too many are hashed already */
async function derive(...hashing: Parameters<typeof argon>): Promise<Buffer> {
  if (running >= atOnce) {
    if (waiting.length >= maxWaiting) {
      throw new ServiceError('UNAVAILABLE', 'Too many sign in right now. Try again in a moment.', {
        'Retry-After': '5',
      });
    }
    // Whoever is done hands over its place.
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else running++;
  try {
    return await argon(...hashing);
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}

/** What one guess costs whoever tries: 19 MiB and two passes, as OWASP advises. */
const cost = { memoryKib: 19_456, passes: 2, parallelism: 1 } as const;
const saltBytes = 16;
const hashBytes = 32;

const form =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** @returns the hash in the form that names its algorithm, its parameters and its salt */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  const { memoryKib: memory, passes, parallelism } = cost;
  const message = Buffer.from(password.normalize('NFC'), 'utf8');
  const hash = await derive('argon2id', {
    ...{ message, nonce: salt, memory, passes, parallelism, tagLength: hashBytes },
  });
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(hash)}`;
}

/**
 * Whether a password is the one that a hash was made of, by the parameters that stand with the hash.
 * @throws Error for what is no such hash
 */
export async function isPassword(password: string, stored: string): Promise<boolean> {
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

/** Without the padding, as the form has it. */
function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replace(/=+$/, '');
}
