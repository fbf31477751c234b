import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { TLSConfig } from '@temporalio/client';
import type { Config } from '../platform/config.ts';

/** How a connection to Temporal is secured, in the words of both of the SDK's connections. */
export interface Security {
  tls: boolean | TLSConfig;
  apiKey?: string;
}

/** How soon what a file says anew is used. */
export const lookEveryMs = 30_000;
/** How long what was asked by a connection that is replaced may take to be answered. */
export const lingerMs = 60_000;

/**
 * Reads what the connection is secured by, as the files say now.
 * @throws Error of the file system where one cannot be read
 */
export function readSecurity(temporal: Config['temporal']): Security {
  const { files, serverName } = temporal;
  const apiKey = files.apiKey ? readFileSync(files.apiKey, 'utf8').trim() : temporal.apiKey;
  const [ca, crt, key] = [files.ca, files.certificate, files.key].map((file) =>
    file === undefined ? undefined : readFileSync(file),
  );
  const own = {
    ...(ca && { serverRootCACertificate: ca }),
    ...(crt && key && { clientCertPair: { crt, key } }),
    ...(serverName && { serverNameOverride: serverName }),
  };
  const tls = Object.keys(own).length > 0 ? own : temporal.tls;
  return { tls, ...(apiKey !== undefined && { apiKey }) };
}

/**
 * Tells when the files say something else than before. A file that is missing or half written for a
 * moment says nothing new.
 * @param everyMs how often it looks, at most
 * @returns what to call: it gives the new security, once, or undefined where nothing changed
 */
export function createSecurityWatch(
  temporal: Config['temporal'],
  known: Security,
  everyMs = lookEveryMs,
): () => Security | undefined {
  if (Object.values(temporal.files).every((file) => file === undefined)) return () => undefined;
  let lookAtMs = performance.now() + everyMs;
  let last = known;
  return () => {
    if (performance.now() < lookAtMs) return undefined;
    lookAtMs = performance.now() + everyMs;
    const next = readQuietly(temporal);
    if (next === undefined || isDeepStrictEqual(next, last)) return undefined;
    last = next;
    return next;
  };
}

function readQuietly(temporal: Config['temporal']): Security | undefined {
  try {
    return readSecurity(temporal);
  } catch {
    return undefined;
  }
}
