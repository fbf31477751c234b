import { createSecretKey, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { customerTimeZone } from '../domain/branding.ts';
import type { EarningRule } from '../domain/earning-rules.ts';
import type { Mode } from '../domain/mode.ts';
import { accessState } from '../domain/partners.ts';
import type { Delivery } from '../domain/purchase.ts';
import { defaultRedemptionSettings, type RedemptionSettings } from '../domain/redemption.ts';
import type { OngoingRehearsal } from '../domain/rehearsal.ts';
import {
  apiRateLimitPerMinuteOf,
  type BillingStatus,
  billingStatusAt,
} from '../models/billing/index.ts';
import { findActiveRules } from '../models/rewards/rules.ts';
import type { CredentialDoc, Scope } from '../models/schemas/integrations.ts';
import type { ApiDeps } from './deps.ts';

/** The owner of an API key, with its permissions and terms. Cached in memory for seconds only. */
export interface Principal {
  credentialId: string;
  partnerId: string;
  partnerName: string;
  partnerStatus: 'ACTIVE' | 'SUSPENDED';
  live: boolean;
  country: string;
  /** Of its LIVE funds. */
  currency: string;
  /** In which its customers' days begin and end. */
  timeZone: string;
  /** How its customers may spend their points. */
  redemptions: RedemptionSettings;
  /** At the time of the look-up. */
  billingStatus: BillingStatus;
  apiRateLimitPerMinute: number;
  integrationId: string;
  /** Whether the service or the partner delivers the claim links of this integration. */
  delivery: Delivery;
  mode: Mode;
  scopes: readonly Scope[];
  /** The active secrets; empty if the credential is revoked or has expired. */
  secrets: readonly { secretId: string; secret: KeyObject }[];
  /** Of a TEST key. */
  rehearsal: OngoingRehearsal | null;
  rules: readonly EarningRule[];
}

export interface Principals {
  find(apiKey: string): Promise<Principal | null>;
  /** Records that a secret was used, at most once a minute and without delaying the request. */
  touch(principal: Principal, secretId: string): void;
}

/** Maximum keys per cache. Unknown keys have a cache of their own, so that they cannot push out partners' keys. */
const maxCachedKeys = 10_000;
const touchEveryMs = 60_000;
/** A revocation takes effect everywhere within this time (docs/integrate/requests.md, Authentication). */
export const usualCredentialCacheMs = 2_000;

/**
 * Looks up API keys through a cache, whose entries expire soon enough that a revocation takes effect
 * within seconds (docs/integrate/requests.md, Authentication). Unknown keys are cached too, so that they take as
 * long as known ones. Concurrent requests with the same key share one look-up.
 */
export function createPrincipals(
  { models, sealer, now, log, credentialCacheMs: ttl = usualCredentialCacheMs }: ApiDeps,
  cacheSize = maxCachedKeys,
): Principals {
  const options = { max: cacheSize, ttl: Math.max(1, ttl) };
  const known = new LRUCache<string, Principal>(options);
  const unknown = new LRUCache<string, true>(options);
  const lookUps = new Map<string, Promise<Principal | null>>();
  const touched = new LRUCache<string, true>({ max: cacheSize, ttl: touchEveryMs });

  async function load(apiKey: string): Promise<Principal | null> {
    const credential = await models.credentials.findOne({ apiKey });
    if (!credential) return null;
    const { scopes } = credential;
    const active = credential.revokedAt
      ? []
      : credential.secrets.filter((secret) => accessState(secret, now()) === 'ACTIVE');
    return {
      ...(await termsOfPartner({ models, now }, credential)),
      credentialId: credential._id,
      scopes,
      secrets: active.map(({ secretId, sealed }) => ({
        secretId,
        secret: createSecretKey(sealer.open(sealed, credential._id), 'utf8'),
      })),
      rehearsal: credential.rehearsal ?? null,
    };
  }

  async function loadIntoCache(apiKey: string): Promise<Principal | null> {
    try {
      const principal = await load(apiKey);
      if (principal) known.set(apiKey, principal);
      else unknown.set(apiKey, true);
      return principal;
    } finally {
      lookUps.delete(apiKey);
    }
  }

  return {
    async find(apiKey) {
      if (ttl === 0) return await load(apiKey);
      const cached = known.get(apiKey);
      if (cached || unknown.has(apiKey)) return cached ?? null;
      const lookUp = lookUps.get(apiKey) ?? loadIntoCache(apiKey);
      lookUps.set(apiKey, lookUp);
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
        .catch((error) =>
          log.warn({ err: error, credentialId }, 'could not record the last use of a secret'),
        );
    },
  };
}

/** What a partner's requests go by, whoever sends them: its state, plan, rules and country. */
export async function termsOfPartner(
  { models, now }: Pick<ApiDeps, 'models' | 'now'>,
  { partnerId, integrationId, mode }: Pick<CredentialDoc, 'partnerId' | 'integrationId' | 'mode'>,
): Promise<Omit<Principal, 'credentialId' | 'scopes' | 'secrets' | 'rehearsal'>> {
  const [partner, rules, billingStatus, integration] = await Promise.all([
    models.partners.findById(partnerId).orFail(),
    findActiveRules(models, partnerId, mode),
    billingStatusAt(models, partnerId, new Date(now()).toISOString()),
    models.integrations.findOne({ partnerId, _id: integrationId }, { delivery: 1 }),
  ]);
  return {
    partnerId,
    partnerName: partner.name,
    partnerStatus: partner.status,
    live: partner.goLive.state === 'LIVE',
    country: partner.country,
    currency: partner.currency,
    timeZone: customerTimeZone(partner),
    redemptions: partner.redemptions ?? defaultRedemptionSettings,
    billingStatus,
    apiRateLimitPerMinute: apiRateLimitPerMinuteOf(billingStatus, partner),
    integrationId,
    delivery: integration?.delivery ?? 'SERVICE',
    mode,
    rules,
  };
}
