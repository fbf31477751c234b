import { createSecretKey, type KeyObject } from 'node:crypto';

/** A key that seals data keys. */
export interface MasterKey {
  id: string;
  key: KeyObject;
}

/** A key of Vault's transit engine or of AWS KMS, which wraps master keys. */
export interface WrappingKey {
  provider: 'vault' | 'aws-kms';
  /** `<mount>/<key>` in Vault, the ARN in AWS. */
  name: string;
}

/** A master key that only its provider can open. */
export interface WrappedKey {
  id: string;
  wrappedBy: WrappingKey;
  /** As the provider wrote it. */
  wrapped: string;
}

/** A master key as MASTER_KEYS has it. */
export type GivenKey = MasterKey | WrappedKey;

const id = '[\\w-]{1,32}';
const plain = new RegExp(`^(${id}):([A-Za-z0-9+/_-]{43}=?)$`);
const base64 = '[A-Za-z0-9+/]+={0,2}';
const wrappingKeys: Record<WrappingKey['provider'], string> = {
  vault: '[\\w-]+(?:/[\\w-]+)+',
  'aws-kms': 'arn:aws[a-z-]*:kms:[a-z0-9-]+:\\d{12}:(?:key|alias)/[\\w/-]+',
};
const ciphertexts: Record<WrappingKey['provider'], string> = {
  vault: `vault:v\\d+:${base64}`,
  'aws-kms': base64,
};
const providers = Object.keys(wrappingKeys) as WrappingKey['provider'][];

/** Parses `id:key`, `id:vault:…` or `id:aws-kms:…`; null for anything else. */
export function parseMasterKey(text: string): GivenKey | null {
  const [, ofPlain, key] = plain.exec(text) ?? [];
  if (ofPlain !== undefined && key !== undefined) {
    return { id: ofPlain, key: createSecretKey(key, 'base64') };
  }
  for (const provider of providers) {
    const [name, ciphertext] = [wrappingKeys[provider], ciphertexts[provider]];
    const entry = new RegExp(`^(${id}):${provider}:(${name}):(${ciphertext})$`).exec(text);
    const [, own, wrappedBy, wrapped] = entry ?? [];
    if (own === undefined || wrappedBy === undefined || wrapped === undefined) continue;
    return { id: own, wrappedBy: { provider, name: wrappedBy }, wrapped };
  }
  return null;
}

export const isMasterKeyId = (text: string): boolean => new RegExp(`^${id}$`).test(text);

/** Writes a master key as MASTER_KEYS has it. */
export function formatMasterKey(given: GivenKey): string {
  if ('key' in given) return `${given.id}:${given.key.export().toString('base64')}`;
  const { provider, name } = given.wrappedBy;
  return `${given.id}:${provider}:${name}:${given.wrapped}`;
}

/** Parses `vault:<mount>/<key>` or `aws-kms:<ARN>`; null for anything else. */
export function parseWrappingKey(text: string): WrappingKey | null {
  for (const provider of providers) {
    const [, name] = new RegExp(`^${provider}:(${wrappingKeys[provider]})$`).exec(text) ?? [];
    if (name !== undefined) return { provider, name };
  }
  return null;
}
