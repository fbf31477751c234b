import { createSecretKey, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { accessState } from '../domain/partners.ts';
import type { OngoingRehearsal } from '../domain/rehearsal.ts';
import { type PartnerTerms, termsOfPartner } from '../events/partner-terms.ts';
import { touchEveryMs } from '../models/identity/last-use.ts';
import type { Scope } from '../models/schemas/integrations.ts';
import type { ApiDeps } from './deps.ts';

/** The owner of an API key, with its permissions and terms. Cached in memory for seconds only. */
export interface Principal extends PartnerTerms {
  credentialId: string;
  scopes: readonly Scope[];
  /** The active secrets; empty if the credential is revoked or has expired. */
  secrets: readonly { secretId: string; secret: KeyObject }[];
  /** Of a TEST key. */
  rehearsal: OngoingRehearsal | null;
}

export interface Principals {
  find(apiKey: string): Promise<Principal | null>;
  /** Records that a secret was used, at most once a minute and without delaying the request. */
  touch(principal: Principal, secretId: string): void;
}

/** Maximum keys per cache. Unknown keys have a cache of their own, so that they cannot push out partners' keys. */
const maxCachedKeys = 10_000;
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
