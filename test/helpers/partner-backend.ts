import { randomUUID } from 'node:crypto';
import { signedHeaders } from '../../clients/typescript/signature.ts';
import type { Mode } from '../../domain/mode.ts';
import type { Models } from '../../models/schemas/index.ts';
import type { Scope } from '../../models/schemas/integrations.ts';
import { newToken } from '../../platform/hashing.ts';
import { newId } from '../../platform/ids.ts';
import type { Sealer } from '../../platform/sealing.ts';

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of any shape
  body: any;
}

export interface SendOptions {
  method?: string;
  path?: string;
  idempotencyKey?: string | undefined;
  /** Replaces or, with null, removes headers after signing. */
  headers?: Record<string, string | null>;
  /** Sent instead of the signed bytes. */
  sentBody?: string | Uint8Array<ArrayBuffer>;
  query?: string;
  nowSeconds?: number;
}

/** A partner's back end, which signs its requests according to docs/integrate/requests.md. */
export class PartnerBackend {
  readonly baseUrl: string;
  readonly partnerId: string;
  readonly integrationId: string;
  readonly mode: Mode;
  readonly scopes: Scope[];
  credentialId = '';
  key = '';
  secret = '';

  constructor(
    of: Pick<PartnerBackend, 'baseUrl' | 'partnerId' | 'integrationId' | 'mode' | 'scopes'>,
  ) {
    this.baseUrl = of.baseUrl;
    this.partnerId = of.partnerId;
    this.integrationId = of.integrationId;
    this.mode = of.mode;
    this.scopes = of.scopes;
  }

  /** Creates a credential and uses it from now on. */
  async addCredential(models: Models, sealer: Sealer): Promise<this> {
    this.credentialId = newId('credential');
    this.key = `pk_${this.mode.toLowerCase()}_${newToken()}`;
    this.secret = `sk_${newToken()}`;
    await models.credentials.create({
      _id: this.credentialId,
      partnerId: this.partnerId,
      integrationId: this.integrationId,
      mode: this.mode,
      apiKey: this.key,
      scopes: this.scopes,
      secrets: [
        {
          secretId: newId('secret'),
          sealed: sealer.seal(this.secret, this.credentialId),
          createdAt: new Date(),
          expiresAt: this.mode === 'LIVE' ? new Date('2099-01-01') : null,
          lastUsedAt: null,
          revokedAt: null,
        },
      ],
      createdAt: new Date(),
    });
    return this;
  }

  /** The same partner with another credential, which has the same integration, mode and scopes by default. */
  async withAnotherCredential(
    models: Models,
    sealer: Sealer,
    changes: Partial<Pick<PartnerBackend, 'integrationId' | 'mode' | 'scopes'>> = {},
  ): Promise<PartnerBackend> {
    return await new PartnerBackend({ ...this, ...changes }).addCredential(models, sealer);
  }

  /** The same back end with another key, secret or base URL. */
  changed(changes: Partial<Pick<PartnerBackend, 'baseUrl' | 'key' | 'secret'>>): PartnerBackend {
    const { baseUrl, ...credential } = { ...this, ...changes };
    return Object.assign(new PartnerBackend({ ...this, baseUrl }), credential);
  }

  async send(body: unknown, options: SendOptions = {}): Promise<Reply> {
    const {
      method = 'POST',
      path = '/api/v1/partner/purchases',
      nowSeconds = Date.now() / 1000,
    } = options;
    const bytes = toBytes(body);
    const headers = new Headers(
      signedHeaders({
        key: this.key,
        secret: this.secret,
        method,
        pathname: path,
        body: bytes,
        nowSeconds,
        idempotencyKey: 'idempotencyKey' in options ? options.idempotencyKey : randomUUID(),
      }),
    );
    for (const [name, value] of Object.entries(options.headers ?? {})) {
      if (value === null) headers.delete(name);
      else headers.set(name, value);
    }
    const response = await fetch(this.baseUrl + path + (options.query ?? ''), {
      method,
      headers,
      ...(method !== 'GET' && { body: options.sentBody ?? bytes }),
    });
    return await toReply(response);
  }

  purchase(body: unknown = aPurchase(), options: SendOptions = {}): Promise<Reply> {
    return this.send(body, options);
  }

  refund(body: unknown, options: SendOptions = {}): Promise<Reply> {
    return this.send(body, { path: '/api/v1/partner/refunds', ...options });
  }
}

/** Text and bytes are sent unchanged, anything else as JSON. */
function toBytes(body: unknown): string | Uint8Array<ArrayBuffer> {
  if (body === undefined) return '';
  if (typeof body === 'string') return body;
  return body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body);
}

export async function toReply(response: Response): Promise<Reply> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json');
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson ? JSON.parse(text) : null,
  };
}

/** A valid purchase; a test changes the one field it is about. */
export function aPurchase(changes: Record<string, unknown> = {}) {
  return {
    externalOrderId: `order-${randomUUID()}`,
    customer: { email: 'customer@example.com' },
    order: { subtotalCents: 4990, currency: 'USD' },
    ...changes,
  };
}
