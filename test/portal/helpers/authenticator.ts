import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';
import type { Browser } from './browser.ts';

/** What an authenticator or a browser can do differently. */
interface Differences {
  challenge?: string;
  origin?: string;
  rpId?: string;
  isVerified?: boolean;
  counter?: number;
  type?: string;
}

interface Options {
  challenge: string;
  rpId?: string;
  rp?: { id: string };
}

const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest();
const uint = (bytes: number, value: number) => {
  const written = Buffer.alloc(bytes);
  written.writeUIntBE(value, 0, bytes);
  return written;
};
const flags = { present: 0x01, verified: 0x04, attested: 0x40 };

/** An authenticator with one passkey, and the browser in front of it. */
export class Authenticator {
  readonly id = randomBytes(16).toString('base64url');
  counter = 1;
  private readonly keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  private readonly origin: string;

  constructor(origin: string) {
    this.origin = origin;
  }

  /** What `navigator.credentials.create` makes of the options, as JSON. */
  create(options: Options, differences: Differences = {}): string {
    const { x = '', y = '' } = this.keys.publicKey.export({ format: 'jwk' });
    const key = new Map<number, number | Uint8Array>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Uint8Array.from(Buffer.from(x, 'base64url'))],
      [-3, Uint8Array.from(Buffer.from(y, 'base64url'))],
    ]);
    const id = Buffer.from(this.id, 'base64url');
    const cose = isoCBOR.encode(key);
    const attested = Buffer.concat([Buffer.alloc(16), uint(2, id.length), id, cose]);
    const authData = this.authData(options, differences, flags.attested, attested);
    const statement = new Map<string, string | Uint8Array | Map<string, string>>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', Uint8Array.from(authData)],
    ]);
    return this.credential({
      clientDataJSON: this.clientData('webauthn.create', options, differences),
      attestationObject: Buffer.from(isoCBOR.encode(statement)).toString('base64url'),
      transports: ['internal', 'made-up'],
    });
  }

  /** What `navigator.credentials.get` makes of the options, as JSON. */
  get(options: Options, differences: Differences = {}): string {
    const authData = this.authData(options, { counter: ++this.counter, ...differences });
    const clientDataJSON = this.clientData('webauthn.get', options, differences);
    const signed = Buffer.concat([authData, sha256(Buffer.from(clientDataJSON, 'base64url'))]);
    return this.credential({
      clientDataJSON,
      authenticatorData: authData.toString('base64url'),
      signature: sign('sha256', signed, this.keys.privateKey).toString('base64url'),
    });
  }

  private credential(response: object): string {
    const { id } = this;
    return JSON.stringify({
      id,
      rawId: id,
      type: 'public-key',
      clientExtensionResults: {},
      response,
    });
  }

  private authData(
    options: Options,
    { rpId, isVerified = true, counter = this.counter }: Differences,
    more = 0,
    attested = Buffer.alloc(0),
  ): Buffer {
    const verified = isVerified ? flags.verified : 0;
    return Buffer.concat([
      sha256(rpId ?? options.rpId ?? options.rp?.id ?? ''),
      uint(1, flags.present | verified | more),
      uint(4, counter),
      attested,
    ]);
  }

  private clientData(usual: string, options: Options, differences: Differences): string {
    const { type = usual, challenge = options.challenge, origin = this.origin } = differences;
    const json = JSON.stringify({ type, challenge, origin, crossOrigin: false });
    return Buffer.from(json).toString('base64url');
  }
}

/** The options that portal.js requests from the current page. */
export async function passkeyOptions(browser: Browser, use: 'ADD' | 'GIVE'): Promise<Options> {
  const page = browser.shown;
  const { html } = await browser.post('/second-factor/passkeys/options', { use });
  browser.shown = page;
  return JSON.parse(html);
}
