import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { close } from '../../../http/listen.ts';

interface Input {
  KeyId: string;
  EncryptionContext: Record<string, string>;
  Plaintext?: string;
  CiphertextBlob?: string;
}

interface Answer {
  status: number;
  body: object;
}

const refusal = (status: number, type: string): Answer => ({ status, body: { __type: type } });
const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, data: string) =>
  createHmac('sha256', key).update(data).digest();

/**
 * A stand-in for AWS KMS: its Encrypt and Decrypt in the same wire form, for callers whose Signature Version 4 is right.
 * It knows no permissions, and every ARN is a key.
 */
export async function startKms(credentials: { id: string; secret: string }) {
  const masterKey = randomBytes(32);
  /** Answers that come before its own. */
  const failures: Answer[] = [];
  const calls: { target: string; input: Input }[] = [];

  async function answer(request: IncomingMessage): Promise<Answer> {
    const body = await buffer(request);
    const input: Input = JSON.parse(body.toString('utf8'));
    const target = String(request.headers['x-amz-target']);
    calls.push({ target, input });
    const failure = failures.shift();
    if (failure) return failure;
    if (!isSigned(request, body, credentials)) return refusal(400, 'InvalidSignatureException');
    if (request.headers['content-type'] !== 'application/x-amz-json-1.1') {
      return refusal(400, 'SerializationException');
    }
    const { KeyId } = input;
    try {
      if (target === 'TrentService.Encrypt') {
        return { status: 200, body: { KeyId, CiphertextBlob: encrypt(masterKey, input) } };
      }
      return { status: 200, body: { KeyId, Plaintext: decrypt(masterKey, input) } };
    } catch {
      return refusal(400, 'InvalidCiphertextException');
    }
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, body } = await answer(request);
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' });
    response.end(JSON.stringify(body));
  }
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, calls, failures, stop: () => close(server) };
}

/** Whether a request is signed with Signature Version 4, as AWS documents it. */
function isSigned(
  { method, url, headers }: IncomingMessage,
  body: Buffer,
  { id, secret }: { id: string; secret: string },
): boolean {
  const [, scope = '', names = '', signature = ''] =
    /^AWS4-HMAC-SHA256 Credential=[^/]+\/([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    ) ?? [];
  const [day = '', region = '', service = ''] = scope.split('/');
  const at = String(headers['x-amz-date']);
  const lines = names.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const canonical = [method, url, '', lines.join(''), names, sha256(body)].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', at, scope, sha256(canonical)].join('\n');
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secret}`);
  return (
    headers.authorization?.includes(`Credential=${id}/`) === true &&
    ['host', 'x-amz-date', 'x-amz-target'].every((name) => names.split(';').includes(name)) &&
    at.startsWith(day) &&
    service === 'kms' &&
    timingSafeEqual(
      Buffer.from(signature.padEnd(64), 'utf8'),
      Buffer.from(hmac(key, toSign).toString('hex')),
    )
  );
}

const contextOf = ({ KeyId, EncryptionContext }: Input) =>
  Buffer.from(JSON.stringify([KeyId, EncryptionContext]));

function encrypt(key: Buffer, input: Input): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(contextOf(input));
  const body = Buffer.concat([cipher.update(input.Plaintext ?? '', 'base64'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64');
}

function decrypt(key: Buffer, input: Input): string {
  const blob = Buffer.from(input.CiphertextBlob ?? '', 'base64');
  const decipher = createDecipheriv('aes-256-gcm', key, blob.subarray(0, 12), { authTagLength: 16 })
    .setAAD(contextOf(input))
    .setAuthTag(blob.subarray(12, 28));
  return Buffer.concat([decipher.update(blob.subarray(28)), decipher.final()]).toString('base64');
}
