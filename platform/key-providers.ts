import { createSecretKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { type Config, ConfigError } from './config.ts';
import type { GivenKey, MasterKey, WrappedKey, WrappingKey } from './master-keys.ts';

/** Wraps and unwraps master keys. The id is bound: what was wrapped for one opens for no other. */
interface KeyProvider {
  wrap(key: Buffer, id: string): Promise<string>;
  unwrap(wrapped: string, id: string): Promise<Buffer>;
}

export type ProviderSettings = Pick<Config, 'vault'>;

/** One attempt, and all of them together. */
const [attemptMs, deadlineMs] = [5_000, 30_000];
const attempts = 5;
const firstPauseMs = 250;
const keyBytes = 32;

/**
 * Opens the master keys that a provider wrapped, once, so that no request waits for it.
 * @throws ConfigError naming the setting and the key's id, after at most half a minute
 */
export async function unwrapMasterKeys(
  given: readonly GivenKey[],
  settings: ProviderSettings,
): Promise<MasterKey[]> {
  return await Promise.all(
    given.map(async (one) => ('key' in one ? one : await unwrap(one, settings))),
  );
}

async function unwrap(
  { id, wrappedBy, wrapped }: WrappedKey,
  settings: ProviderSettings,
): Promise<MasterKey> {
  const signal = AbortSignal.timeout(deadlineMs);
  try {
    const key = await providerOf(wrappedBy, settings, signal).unwrap(wrapped, id);
    if (key.length !== keyBytes) throw new Error(`it has ${key.length} bytes instead of 32`);
    return { id, key: createSecretKey(key) };
  } catch (error) {
    throw failure(`The key “${id}” in MASTER_KEYS was not unwrapped`, wrappedBy, error);
  }
}

/**
 * Wraps a master key, and opens it again, since nothing else would notice a mistake until the next start.
 * @throws ConfigError naming the wrapping key
 */
export async function wrapMasterKey(
  { id, key }: MasterKey,
  wrappedBy: WrappingKey,
  settings: ProviderSettings,
): Promise<WrappedKey> {
  const signal = AbortSignal.timeout(deadlineMs);
  try {
    const provider = providerOf(wrappedBy, settings, signal);
    const wrapped = await provider.wrap(key.export(), id);
    if (!key.export().equals(await provider.unwrap(wrapped, id))) {
      throw new Error('it does not open again');
    }
    return { id, wrappedBy, wrapped };
  } catch (error) {
    throw failure(`The key “${id}” was not wrapped`, wrappedBy, error);
  }
}

function failure(what: string, { provider, name }: WrappingKey, error: unknown): ConfigError {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const { message, code, name: kind } = cause as NodeJS.ErrnoException;
  const kinds = [typeof code === 'string' ? code : kind, message];
  const why = kinds.filter((one) => one !== '' && one !== 'Error').join(': ');
  return new ConfigError(`${what} by ${provider}:${name}: ${why}`);
}

function providerOf(
  { provider, name }: WrappingKey,
  settings: ProviderSettings,
  signal: AbortSignal,
): KeyProvider {
  return provider === 'vault' ? vaultTransit(name, settings.vault, signal) : awsKms(name, signal);
}

/** Vault's transit engine. */
function vaultTransit(name: string, vault: Config['vault'], signal: AbortSignal): KeyProvider {
  const slash = name.lastIndexOf('/');
  const [mount, key] = [name.slice(0, slash), name.slice(slash + 1)];
  const ask = async (verb: 'encrypt' | 'decrypt', input: object) => {
    const token = await tokenOf(vault, signal);
    const { data } = await askVault(vault, `${mount}/${verb}/${key}`, input, signal, token);
    return data;
  };
  const bound = (id: string) => ({ associated_data: Buffer.from(id).toString('base64') });
  return {
    async wrap(plain, id) {
      const plaintext = plain.toString('base64');
      return (await ask('encrypt', { plaintext, ...bound(id) })).ciphertext ?? '';
    },
    async unwrap(ciphertext, id) {
      const { plaintext = '' } = await ask('decrypt', { ciphertext, ...bound(id) });
      return Buffer.from(plaintext, 'base64');
    },
  };
}

interface VaultAnswer {
  data: { ciphertext?: string; plaintext?: string };
  auth?: { client_token: string };
  errors?: string[];
}

async function tokenOf(vault: Config['vault'], signal: AbortSignal): Promise<string> {
  const { token, role, jwtFile } = vault;
  if (token !== undefined) return token;
  if (role === undefined) throw new Error('set VAULT_TOKEN or VAULT_ROLE');
  const jwt = (await readFile(jwtFile, 'utf8')).trim();
  const { auth } = await askVault(vault, 'auth/kubernetes/login', { role, jwt }, signal);
  return auth?.client_token ?? '';
}

/** Asks Vault, again if it does not answer or answers that it cannot now. @throws Error with its reasons */
async function askVault(
  { address }: Config['vault'],
  path: string,
  input: object,
  signal: AbortSignal,
  token?: string,
): Promise<VaultAnswer> {
  if (address === undefined) throw new Error('set VAULT_ADDR');
  for (let attempt = 1, pauseMs = firstPauseMs; ; attempt++, pauseMs *= 2) {
    const isLast = attempt === attempts;
    const response = await fetch(`${address}/v1/${path}`, {
      method: 'POST',
      body: JSON.stringify(input),
      headers: token === undefined ? {} : { 'X-Vault-Token': token },
      signal: AbortSignal.any([signal, AbortSignal.timeout(attemptMs)]),
    }).catch((error: unknown) => {
      if (isLast || signal.aborted) throw error;
      return null;
    });
    if (response?.ok) return await answerOf(response);
    if (response && (isLast || (response.status < 500 && response.status !== 429))) {
      const { errors = [] } = await answerOf(response).catch((): VaultAnswer => ({ data: {} }));
      throw new Error(
        `Vault answered ${response.status} ${errors.join(', ').replace(/\s+/g, ' ')}`,
      );
    }
    await delay(pauseMs, undefined, { signal });
  }
}

const answerOf = async (response: Response): Promise<VaultAnswer> =>
  (await response.json()) as VaultAnswer;

/** AWS KMS, with the credentials and the endpoint that the SDK finds. */
function awsKms(KeyId: string, abortSignal: AbortSignal): KeyProvider {
  const open = async () => {
    // On demand: most installations have no use for it.
    const sdk = await import('@aws-sdk/client-kms');
    const client = new sdk.KMSClient({
      region: KeyId.split(':')[3] ?? '',
      maxAttempts: attempts,
      requestHandler: { connectionTimeout: attemptMs, requestTimeout: attemptMs },
    });
    return { sdk, client };
  };
  const bound = (id: string) => ({ EncryptionContext: { masterKey: id } });
  return {
    async wrap(Plaintext, id) {
      const { sdk, client } = await open();
      const command = new sdk.EncryptCommand({ KeyId, Plaintext, ...bound(id) });
      const { CiphertextBlob = [] } = await client.send(command, { abortSignal });
      return Buffer.from(CiphertextBlob).toString('base64');
    },
    async unwrap(wrapped, id) {
      const { sdk, client } = await open();
      const CiphertextBlob = Buffer.from(wrapped, 'base64');
      const command = new sdk.DecryptCommand({ KeyId, CiphertextBlob, ...bound(id) });
      const { Plaintext = [] } = await client.send(command, { abortSignal });
      return Buffer.from(Plaintext);
    },
  };
}
