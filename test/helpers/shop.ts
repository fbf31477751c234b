import { setTimeout as delay } from 'node:timers/promises';
import Stripe from 'stripe';
import type { Platform } from '../../domain/connections.ts';
import { createConnection } from '../../operations/connections.ts';
import { operate } from './operate.ts';
import { type PartnerBackend, type Reply, toReply } from './partner-backend.ts';
import type { Service } from './service.ts';
import { base64Hmac } from './shop-payloads.ts';

export const shopDomain = 'teapots.myshopify.com';
export const shopUrl = 'https://shop.example.com';

const secretOf = (platform: Platform, text: string) =>
  platform === 'STRIPE' ? `whsec_${text}` : text;

/** A shop whose platform sends its webhooks to a connection, and again while it is told to. */
export class Shop {
  readonly baseUrl: string;
  readonly connectionId: string;
  readonly platform: Platform;
  secret: string;

  constructor(of: Pick<Shop, 'baseUrl' | 'connectionId' | 'platform' | 'secret'>) {
    this.baseUrl = of.baseUrl;
    this.connectionId = of.connectionId;
    this.platform = of.platform;
    this.secret = of.secret;
  }

  /** What the platform sends. @param topic of Stripe, the body says it */
  signed(
    topic: string,
    body: unknown,
    { secret = this.secret, nowMs = Date.now() } = {},
  ): { text: string; headers: Record<string, string> } {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const type = { 'content-type': 'application/json' };
    if (this.platform === 'STRIPE') {
      const timestamp = Math.floor(nowMs / 1_000);
      const signature = Stripe.webhooks.generateTestHeaderString({
        payload: text,
        secret,
        timestamp,
      });
      return { text, headers: { ...type, 'stripe-signature': signature } };
    }
    const signature = base64Hmac(secret, text);
    const headers: Record<string, string> =
      this.platform === 'SHOPIFY'
        ? {
            'x-shopify-topic': topic,
            'x-shopify-shop-domain': shopDomain,
            'x-shopify-hmac-sha256': signature,
            'x-shopify-webhook-id': 'b54557e4',
          }
        : {
            'x-wc-webhook-topic': topic,
            'x-wc-webhook-source': `${shopUrl}/`,
            'x-wc-webhook-signature': signature,
          };
    return { text, headers: { ...type, ...headers } };
  }

  /**
   * Sends until it is answered.
   * @param change of the headers; an empty one is left out
   * @returns the answer; `isRepeated` if one before it was 503, after which what was delivered may be recorded
   */
  async send(
    topic: string,
    body: unknown,
    change: Record<string, string> = {},
    options: { secret?: string; nowMs?: number } = {},
  ): Promise<Reply & { isRepeated: boolean }> {
    const { text, headers } = this.signed(topic, body, options);
    const sent = Object.fromEntries(
      Object.entries({ ...headers, ...change }).filter(([, value]) => value !== ''),
    );
    for (let isRepeated = false; ; isRepeated = true) {
      const reply = await this.post(text, sent);
      if (reply.status !== 503) return { ...reply, isRepeated };
      await delay(50);
    }
  }

  async post(body: string, headers: Record<string, string>): Promise<Reply> {
    const address = `${this.baseUrl}/connect/${this.connectionId}`;
    return toReply(await fetch(address, { method: 'POST', headers, body }));
  }
}

/** Connects a shop to a partner. */
export async function connectShop(
  service: Pick<Service, 'models' | 'sealer'>,
  { partnerId, integrationId, mode, baseUrl }: PartnerBackend,
  platform: Platform,
): Promise<Shop> {
  const secret = secretOf(platform, 'made-up-signing-secret');
  const { _id: connectionId } = await operate(
    { models: service.models, sealer: service.sealer, now: Date.now },
    createConnection,
    {
      partnerId,
      integrationId,
      mode,
      platform,
      shop: platform === 'SHOPIFY' ? shopDomain : shopUrl,
      secret,
    },
  );
  return new Shop({ baseUrl, connectionId, platform, secret });
}
