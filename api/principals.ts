import { createSecretKey, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Delivery } from '../domain/delivery.ts';
import type { EarningRule } from '../domain/earning-rules.ts';
import type { Mode } from '../domain/mode.ts';
import {
  apiRateLimitPerMinuteOf,
  type BillingStatus,
  billingStatusAt,
} from '../models/billing/index.ts';
import { findActiveRules } from '../models/rewards/rules.ts';
import type { Scope } from '../models/schemas/credential.ts';
import type { ApiDeps } from './deps.ts';

/** Who is behind a key, and what they may and have. Held in memory for seconds only. */
export interface Principal {
  credentialId: string;
  partnerId: string;
  partnerName: string;
  partnerStatus: 'ACTIVE' | 'SUSPENDED';
  live: boolean;
  country: string;
  /** As it was when the key was looked up. */
  billingStatus: BillingStatus;
  apiRateLimitPerMinute: number;
  integrationId: string;
  /** Who brings the integration's customers their claim links. */
  delivery: Delivery;
  mode: Mode;
  scopes: readonly Scope[];
  /** The active secrets; empty when the credential was revoked. */
  secrets: readonly { secretId: string; secret: KeyObject }[];
  rules: readonly EarningRule[];
}

export interface Principals {
  find(apiKey: string): Promise<Principal | null>;
  /** Notes that a secret was used, at most once a minute and without holding the request up. */
  touch(principal: Principal, secretId: string): void;
}

/** Known and unknown keys have a table each, so that strangers cannot push partners out of theirs. */
const maxCached = 10_000;
const touchEveryMs = 60_000;

/**
 * Looks keys up, with a cache short enough that a revocation bites within seconds (docs/contract.md,
 * Authentication). Unknown keys are cached too, so that known and unknown cost the same. Requests that name
 * one key at once share one look-up, and there are never more look-ups than requests.
 */
export function createPrincipals(
  { models, sealer, config, now, log }: ApiDeps,
  tableSize = maxCached,
): Principals {
  const ttl = config.http.credentialCacheMs;
  const table = { max: tableSize, ttl: Math.max(1, ttl) };
  const known = new LRUCache<string, Principal>(table);
  const unknown = new LRUCache<string, true>(table);
  const underWay = new Map<string, Promise<Principal | null>>();
  const touched = new LRUCache<string, true>({ max: tableSize, ttl: touchEveryMs });

  async function load(apiKey: string): Promise<Principal | null> {
    const credential = await models.credentials.findOne({ apiKey }).lean();
    if (!credential) return null;
    const { partnerId, integrationId, mode, scopes } = credential;
    const [partner, rules, billingStatus, integration] = await Promise.all([
      models.partners.findById(partnerId).lean().orFail(),
      findActiveRules(models, partnerId, mode),
      billingStatusAt(models, partnerId, new Date(now()).toISOString()),
      models.integrations.findOne({ partnerId, _id: integrationId }, { delivery: 1 }).lean(),
    ]);
    const active = credential.revokedAt
      ? []
      : credential.secrets.filter((secret) => secret.revokedAt === null);
    return {
      credentialId: credential._id,
      partnerId,
      partnerName: partner.name,
      partnerStatus: partner.status,
      live: partner.goLive.state === 'LIVE',
      country: partner.country,
      billingStatus,
      apiRateLimitPerMinute: apiRateLimitPerMinuteOf(billingStatus, partner),
      integrationId,
      delivery: integration?.delivery ?? 'SERVICE',
      mode,
      scopes,
      secrets: active.map(({ secretId, sealed }) => ({
        secretId,
        secret: createSecretKey(sealer.open(sealed, credential._id), 'utf8'),
      })),
      rules,
    };
  }

  async function loadIntoTable(apiKey: string): Promise<Principal | null> {
    try {
      const principal = await load(apiKey);
      if (principal) known.set(apiKey, principal);
      else unknown.set(apiKey, true);
      return principal;
    } finally {
      underWay.delete(apiKey);
    }
  }

  return {
    async find(apiKey) {
      if (ttl === 0) return await load(apiKey);
      const cached = known.get(apiKey);
      if (cached || unknown.has(apiKey)) return cached ?? null;
      const lookUp = underWay.get(apiKey) ?? loadIntoTable(apiKey);
      underWay.set(apiKey, lookUp);
      return await lookUp;
    },
    touch({ partnerId, credentialId }, secretId) {
      if (touched.has(secretId)) return;
      touched.set(secretId, true);
      models.credentials
        .updateOne(
          { partnerId, _id: credentialId, 'secrets.secretId': secretId },
          { $max: { 'secrets.$.lastUsedAt': new Date(now()) } },
        )
        .catch((error) => log.warn({ err: error, credentialId }, 'last use was not recorded'));
    },
  };
}
