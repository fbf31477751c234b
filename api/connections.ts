import { createSecretKey, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Earns, Platform } from '../domain/connections.ts';
import { termsOfPartner } from '../events/partner-terms.ts';
import { touchEveryMs } from '../models/identity/last-use.ts';
import { isIdOf } from '../platform/ids.ts';
import type { ApiDeps } from './deps.ts';
import { type Principal, usualCredentialCacheMs } from './principals.ts';

/** A connection, with the terms of its partner. Cached in memory for seconds only. */
export interface Connection extends Principal {
  connectionId: string;
  platform: Platform;
  shop: string | null;
  earns: Earns;
  isPaused: boolean;
}

const maxCached = 10_000;

/** Looks up connections by the id in their address; what changes takes effect within seconds. */
export function createConnections(deps: ApiDeps) {
  const { models, sealer, now, log, credentialCacheMs: ttl = usualCredentialCacheMs } = deps;
  const known = new LRUCache<string, Connection>({ max: maxCached, ttl: Math.max(1, ttl) });
  const touched = new LRUCache<string, true>({ max: maxCached, ttl: touchEveryMs });

  async function find(connectionId: string): Promise<Connection | null> {
    if (!isIdOf('connection', connectionId)) return null;
    const cached = ttl === 0 ? undefined : known.get(connectionId);
    if (cached) return cached;
    const found = await models.connections.findOne({ _id: connectionId, endedAt: null });
    if (!found) return null;
    const { platform, shop, earns, secrets, pausedAt } = found;
    const connection: Connection = {
      ...(await termsOfPartner(deps, found)),
      connectionId,
      credentialId: connectionId,
      scopes: ['events:write'],
      rehearsal: null,
      secrets: secrets.map(({ secretId, sealed }) => ({
        secretId,
        secret: createSecretKey(sealer.open(sealed, connectionId), 'utf8'),
      })),
      platform,
      shop,
      earns,
      isPaused: pausedAt !== null,
    };
    known.set(connectionId, connection);
    return connection;
  }

  return {
    find,

    /** The secrets of the partner's other connections to the same platform. */
    async otherSecrets({ partnerId, connectionId, platform }: Connection): Promise<KeyObject[]> {
      const others = await models.connections.find(
        { partnerId, _id: { $ne: connectionId }, platform, endedAt: null },
        { secrets: 1 },
      );
      return others.flatMap(({ _id, secrets }) =>
        secrets.map(({ sealed }) => createSecretKey(sealer.open(sealed, _id), 'utf8')),
      );
    },

    /** Records that a secret was used, at most once a minute and without delaying the response. */
    touch({ partnerId, connectionId }: Connection, secretId: string): void {
      if (touched.has(secretId)) return;
      touched.set(secretId, true);
      models.connections
        .updateOne(
          { partnerId, _id: connectionId, 'secrets.secretId': secretId },
          { $max: { 'secrets.$.lastUsedAt': new Date(now()) } },
        )
        .catch((error: unknown) =>
          log.warn({ err: error, connectionId }, 'could not record the last use of a secret'),
        );
    },

    /** Counts a delivery, behind its response. */
    note({ partnerId, connectionId }: Connection, change: Record<string, unknown>): void {
      models.connections.collection
        .updateOne({ partnerId, _id: connectionId }, change)
        .catch((error: unknown) =>
          log.warn({ err: error, connectionId }, 'could not count a delivery'),
        );
    },
  };
}

export type Connections = ReturnType<typeof createConnections>;
