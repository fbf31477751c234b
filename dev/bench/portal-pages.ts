import { createSecretKey, randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { close, listen } from '../../http/listen.ts';
import { createUsage } from '../../models/billing/index.ts';
import { startSession } from '../../models/identity/sessions.ts';
import { createLedger } from '../../models/ledger/index.ts';
import { buildIndexes, createModels, type Models } from '../../models/schemas/index.ts';
import { loadConfig } from '../../platform/config.ts';
import { createRequestHashes } from '../../platform/hashing.ts';
import { createLogger } from '../../platform/logger.ts';
import { connectMongo } from '../../platform/mongo.ts';
import { createSealer } from '../../platform/sealing.ts';
import { createPortal } from '../../portal/app.ts';
import type { PortalDeps } from '../../portal/deps.ts';
import { databaseUri } from '../database-uri.ts';
import { measure, report, sizes } from './by-size.ts';

const mongodbUri = process.env.MONGODB_URI ?? 'mongodb://127.0.0.1:27017/?directConnection=true';
export const hashKey = createSecretKey(randomBytes(32));

export const hashes = createRequestHashes(hashKey);

/** A page and the cookie to request it with. */
export type PageToMeasure = [what: string, path: string, cookie: string];

/**
 * Measures complete pages over HTTP for each number of events, each in its own database that is dropped
 * afterwards; then prints the table.
 * @param fill creates that many events and returns the pages to request
 */
export async function measurePages(
  name: string,
  fill: (deps: PortalDeps, events: number) => Promise<PageToMeasure[]>,
): Promise<void> {
  for (const events of sizes) {
    const uri = databaseUri(mongodbUri, `bench_${name}_${process.pid}_${events}`);
    const models = createModels(await connectMongo(uri));
    try {
      await buildIndexes(models);
      const deps = depsOf(models, uri);
      const pages = await fill(deps, events);
      const server = await listen(createPortal(deps).app, '127.0.0.1', 0);
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      for (const [what, path, cookie] of pages) {
        await measure(what, () => readPage(url + path, cookie));
      }
      await close(server);
    } finally {
      await models.connection.dropDatabase();
      await models.connection.close();
    }
  }
  report();
}

/** @returns the cookie of a signed-in user */
export async function signIn(deps: PortalDeps, userId: string): Promise<string> {
  const { token } = await startSession(deps, {
    userId,
    signedInBy: 'PASSWORD',
    userAgent: 'bench',
    address: '127.0.0.1',
  });
  return `session=${token}`;
}

/** The dependencies of read-only pages. */
export function depsOf(models: Models, uri: string): PortalDeps {
  const config = loadConfig({
    MONGODB_URI: uri,
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    LOG_LEVEL: 'silent',
    MASTER_KEYS: `bench:${randomBytes(32).toString('base64')}`,
    CUSTOMER_HASH_KEY: hashKey.export().toString('base64'),
  });
  return {
    config,
    models,
    ledger: createLedger(models, hashKey),
    now: Date.now,
    usage: createUsage(models, hashKey),
    sealer: createSealer(config.masterKeys),
    log: createLogger('bench', config.log),
  } as unknown as PortalDeps;
}

export async function readPage(url: string, cookie: string): Promise<void> {
  const response = await fetch(url, { headers: { cookie }, redirect: 'manual' });
  const html = await response.text();
  // A search with a single result redirects to it.
  const isResult =
    response.status === 303 && !response.headers.get('location')?.includes('sign-in');
  if (response.status !== 200 && !isResult)
    throw new Error(`${url} returned ${response.status}: ${html}`);
}
