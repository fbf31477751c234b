import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import type { SigningKey } from '../../clients/typescript/types.ts';
import type { Sealer } from '../../platform/sealing.ts';
import type { Models } from '../schemas/index.ts';
import type { SigningKeyDoc } from '../schemas/receipts.ts';

/** The key that signs now, as its index has it. */
export const signing = { retiredAt: null, sealed: { $type: 'string' } } as const;

export const curve = { kty: 'OKP', crv: 'Ed25519' } as const;

const maxKeys = 1_000;

/** All keys that ever signed, newest first. */
export async function readSigningKeys({ signingKeys }: Models): Promise<SigningKey[]> {
  return (await signingKeys.find().sort({ createdAt: -1 }).limit(maxKeys)).map(presentKey);
}

/** A key that can sign. */
export interface Signer {
  keyId: string;
  privateKey: KeyObject;
}

/** The key that signs now; null if none was made since the last was retired. */
export async function findSigner({ signingKeys }: Models, sealer: Sealer): Promise<Signer | null> {
  const found = await signingKeys.findOne(signing);
  if (!found?.sealed) return null;
  const { _id: keyId, publicKey: x, sealed } = found;
  const d = sealer.open(sealed, keyId);
  return { keyId, privateKey: createPrivateKey({ key: { ...curve, x, d }, format: 'jwk' }) };
}

/** A JWS in its compact form (RFC 7515). */
export function signJws({ keyId: kid, privateKey }: Signer, payload: object): string {
  const signed = `${encoded({ alg: 'EdDSA', kid })}.${encoded(payload)}`;
  return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`;
}

const encoded = (part: object): string =>
  Buffer.from(JSON.stringify(part), 'utf8').toString('base64url');

/** A public key as a JWK (RFC 8037). */
export function presentKey({
  _id: kid,
  publicKey: x,
  createdAt,
  retiredAt,
}: SigningKeyDoc): SigningKey {
  const times = {
    createdAt: createdAt.toISOString(),
    retiredAt: retiredAt?.toISOString() ?? null,
  };
  return { ...curve, x, kid, use: 'sig', alg: 'EdDSA', ...times };
}

/** Whether the JWS is signed by the one of these keys that it names. A tampered one may contain anything. */
export function isSigned(jws: string, keys: readonly SigningKey[]): boolean {
  const [header = '', payload = '', signature = ''] = jws.split('.');
  try {
    const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString('utf8'));
    const x = keys.find((one) => one.kid === kid)?.x ?? '';
    const publicKey = createPublicKey({ key: { ...curve, x }, format: 'jwk' });
    const bytes = Buffer.from(`${header}.${payload}`);
    return verify(null, bytes, publicKey, Buffer.from(signature, 'base64url'));
  } catch {
    return false;
  }
}
