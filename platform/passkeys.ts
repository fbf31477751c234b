import { isIP } from 'node:net';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';

/** Where a passkey is valid: WebAuthn's relying party. */
export interface RelyingParty {
  /** The portal's host. */
  id: string;
  origin: string;
}

/** A public key whose private half made a passkey's signature. */
export interface PublicKey {
  credentialId: string;
  /** A COSE key in base64url. */
  publicKey: string;
  counter: number;
  transports: string[];
}

/** What was signed, and where. */
export interface Expected {
  relyingParty: RelyingParty;
  challenge: string;
}

type Known = Pick<PublicKey, 'credentialId' | 'transports'>;

/**
 * The relying party of a portal.
 * @returns null where browsers have no passkeys: at an IP address, and without HTTPS, except on localhost
 */
export function relyingPartyOf(portalUrl: string): RelyingParty | null {
  const { hostname: id, origin, protocol } = new URL(portalUrl);
  const isAddress = isIP(id.replace(/^\[(.*)\]$/, '$1')) !== 0;
  const isSecure = protocol === 'https:' || id === 'localhost';
  return isSecure && !isAddress ? { id, origin } : null;
}

/** On demand: loading it takes a fifth of a second, which every process would wait for. */
const library = () => import('@simplewebauthn/server');

/** EdDSA, ES256 and RS256; what else the library offers is experimental in Node. */
const supportedAlgorithmIDs = [-8, -7, -257];

/** Options for `navigator.credentials.create`, with a new challenge. */
export async function creationOptions(
  { id: rpID }: RelyingParty,
  { _id, name, email }: { _id: string; name: string; email: string | null },
  known: readonly Known[],
) {
  return await (await library()).generateRegistrationOptions({
    rpID,
    rpName: 'Partner Events',
    userName: email ?? name,
    userID: new TextEncoder().encode(_id),
    excludeCredentials: known.map(idOf),
    supportedAlgorithmIDs,
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
  });
}

/** Options for `navigator.credentials.get`, with a new challenge. */
export async function requestOptions({ id: rpID }: RelyingParty, known: readonly Known[]) {
  return await (await library()).generateAuthenticationOptions({
    rpID,
    allowCredentials: known.map(idOf),
    userVerification: 'required',
  });
}

const idOf = ({ credentialId: id, transports }: Known) => ({ id, transports });

/**
 * Verifies a new passkey.
 * @param json what the browser made of the options
 * @returns null unless it signed the challenge, here, for a user whom it verified
 */
export async function verifyCreation(
  { relyingParty, challenge }: Expected,
  json: string,
): Promise<PublicKey | null> {
  const { verifyRegistrationResponse } = await library();
  const { decodeAttestationObject, isoBase64URL } = await import('@simplewebauthn/server/helpers');
  try {
    const response: RegistrationResponseJSON = JSON.parse(json);
    const attested = isoBase64URL.toBuffer(response.response.attestationObject);
    // We ask for no attestation; for that of some makers, the library would fetch revocation lists.
    if (!['none', 'packed'].includes(decodeAttestationObject(attested).get('fmt'))) return null;
    const { registrationInfo } = await verifyRegistrationResponse({
      response,
      ...expected(relyingParty, challenge),
      supportedAlgorithmIDs,
    });
    if (!registrationInfo) return null;
    const { id: credentialId, publicKey, counter } = registrationInfo.credential;
    return {
      credentialId,
      publicKey: Buffer.from(publicKey).toString('base64url'),
      counter,
      transports: knownTransports.filter((one) => response.response.transports?.includes(one)),
    };
  } catch {
    return null;
  }
}

const knownTransports = ['ble', 'hybrid', 'internal', 'nfc', 'usb'] as const;

/**
 * Verifies a signature of one of a user's passkeys.
 * @param json what the browser made of the options
 * @returns the passkey, and its counter after this; null unless it signed the challenge, here, for a user whom it
 *   verified, and its counter went up if it has one
 */
export async function verifyRequest<Passkey extends PublicKey>(
  { relyingParty, challenge }: Expected,
  passkeys: readonly Passkey[],
  json: string,
): Promise<{ passkey: Passkey; counter: number } | null> {
  const { verifyAuthenticationResponse } = await library();
  try {
    const response: AuthenticationResponseJSON = JSON.parse(json);
    const passkey = passkeys.find(({ credentialId }) => credentialId === response.id);
    if (!passkey) return null;
    const { credentialId: id, publicKey, counter } = passkey;
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      ...expected(relyingParty, challenge),
      credential: { id, publicKey: Buffer.from(publicKey, 'base64url'), counter },
    });
    return verified ? { passkey, counter: authenticationInfo.newCounter } : null;
  } catch {
    return null;
  }
}

const expected = ({ id, origin }: RelyingParty, challenge: string) => ({
  expectedChallenge: challenge,
  expectedOrigin: origin,
  expectedRPID: id,
  requireUserVerification: true,
});
