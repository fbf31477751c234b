import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import type { SigningKey } from '../../clients/typescript/types.ts';
import type { AuditLog } from '../../platform/audit-log.ts';
import { sha256 } from '../../platform/hashing.ts';
import type { Sealer } from '../../platform/sealing.ts';
import type { Models } from '../schemas/index.ts';
import type { SigningKeyDoc } from '../schemas/receipts.ts';
import { insertOnce } from '../store/insert-once.ts';

export interface SigningDeps {
  models: Models;
  sealer: Sealer;
  /** Each new key, and each tree head, is written outside the database first. */
  auditLog: AuditLog;
}

/** A key that can sign. */
export interface Signer {
  keyId: string;
  privateKey: KeyObject;
}

/** As its index has it. */
const signing = { retiredAt: null, sealed: { $type: 'string' } } as const;

const curve = { kty: 'OKP', crv: 'Ed25519' } as const;

/** The key that signs now; made if there is none. */
export async function currentSigner(deps: SigningDeps, now: Date): Promise<Signer> {
  for (;;) {
    const { models, sealer } = deps;
    const found = await models.signingKeys.findOne(signing);
    if (!found?.sealed) {
      await makeKey(deps, now);
      continue;
    }
    const { _id: keyId, publicKey: x, sealed } = found;
    const d = sealer.open(sealed, keyId);
    return { keyId, privateKey: createPrivateKey({ key: { ...curve, x, d }, format: 'jwk' }) };
  }
}

/** Two processes may make one each: one of them is stored, and the other never signs. */
async function makeKey({ models, sealer, auditLog }: SigningDeps, createdAt: Date): Promise<void> {
  const { x = '', d = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const keyId = thumbprint(x);
  const key = { _id: keyId, publicKey: x, sealed: sealer.seal(d, keyId), createdAt };
  await auditLog('signingKey', [present({ ...key, retiredAt: null })]);
  await insertOnce(() => models.signingKeys.create({ ...key, retiredAt: null }));
}

/**
 * Retires the key that signs now and destroys its private part. The next tree head is signed with a new one.
 * @returns its id; null if no key has been made since the last was retired
 */
export async function retireSigner({ signingKeys }: Models, retiredAt: Date) {
  const current = await signingKeys.findOne(signing);
  if (current === null) return null;
  const { _id } = current;
  await signingKeys.updateOne({ _id, retiredAt: null }, { $set: { retiredAt, sealed: null } });
  return _id;
}

const maxKeys = 1_000;

/** All keys that ever signed, newest first. */
export async function readSigningKeys({ signingKeys }: Models): Promise<SigningKey[]> {
  return (await signingKeys.find().sort({ createdAt: -1 }).limit(maxKeys)).map(present);
}

/** A public key as a JWK (RFC 8037). */
function present({ _id: kid, publicKey: x, createdAt, retiredAt }: SigningKeyDoc): SigningKey {
  const times = {
    createdAt: createdAt.toISOString(),
    retiredAt: retiredAt?.toISOString() ?? null,
  };
  return { ...curve, x, kid, use: 'sig', alg: 'EdDSA', ...times };
}

/** Of a public key (RFC 7638). */
const thumbprint = (x: string): string =>
  sha256(Buffer.from(JSON.stringify({ crv: curve.crv, kty: curve.kty, x }))).toString('base64url');

/** A JWS in its compact form (RFC 7515). */
export function signJws({ keyId: kid, privateKey }: Signer, payload: object): string {
  const signed = `${encoded({ alg: 'EdDSA', kid })}.${encoded(payload)}`;
  return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`;
}

const encoded = (part: object): string =>
  Buffer.from(JSON.stringify(part), 'utf8').toString('base64url');

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
