import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { TLSConfig } from '@temporalio/client';
import type { Config } from '../platform/config.ts';
import type { Logger } from '../platform/logger.ts';

/** How a connection to Temporal is secured, as both connection types of the SDK take it. */
export interface Security {
  tls: boolean | TLSConfig;
  apiKey?: string;
}

/** How often files are checked for changes. */
export const lookEveryMs = 30_000;
/** How long a replaced connection stays open for calls in progress. */
export const lingerMs = 60_000;

/**
 * Reads the current certificates and API key.
 * @throws Error if a file cannot be read, is empty or is not a certificate, or if certificate and
 *   key do not belong together
 */
export function readSecurity(temporal: Config['temporal']): Security {
  const { files, serverName } = temporal;
  const apiKey = files.apiKey ? readKey(files.apiKey) : temporal.apiKey;
  const ca = files.ca && readCertificate(files.ca);
  const own = {
    ...(ca && { serverRootCACertificate: ca }),
    ...(files.certificate &&
      files.key && { clientCertPair: readPair(files.certificate, files.key) }),
    ...(serverName && { serverNameOverride: serverName }),
  };
  const tls = Object.keys(own).length > 0 ? own : temporal.tls;
  return { tls, ...(apiKey !== undefined && { apiKey }) };
}

function readKey(file: string): string {
  const key = readFileSync(file, 'utf8').trim();
  if (key === '') throw new Error(`TEMPORAL_API_KEY_FILE names ${file}, which is empty.`);
  return key;
}

function readCertificate(file: string): Buffer {
  const pem = readFileSync(file);
  try {
    new X509Certificate(pem);
  } catch {
    throw new Error(`${file} is not a certificate in PEM.`);
  }
  return pem;
}

function readPair(certificateFile: string, keyFile: string): { crt: Buffer; key: Buffer } {
  const crt = readCertificate(certificateFile);
  const key = readFileSync(keyFile);
  if (!isPair(crt, key)) {
    throw new Error(`${keyFile} is not the key of the certificate in ${certificateFile}.`);
  }
  return { crt, key };
}

function isPair(crt: Buffer, key: Buffer): boolean {
  try {
    return new X509Certificate(crt).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

/**
 * Detects changes of the files. While one is missing, empty or incomplete, the last valid content
 * stays in use, and a warning says why.
 * @param everyMs how often files are checked at most
 * @returns a function that returns the new security once after a change, otherwise undefined
 */
export function createSecurityWatch(
  temporal: Config['temporal'],
  known: Security,
  { log, everyMs = lookEveryMs }: { log: Pick<Logger, 'warn'>; everyMs?: number },
): () => Security | undefined {
  if (Object.values(temporal.files).every((file) => file === undefined)) return () => undefined;
  let lookAtMs = performance.now() + everyMs;
  let last = known;
  let problem: string | undefined;
  const read = (): Security => {
    try {
      const next = readSecurity(temporal);
      problem = undefined;
      return next;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (reason !== problem) {
        log.warn(
          { reason },
          'certificates or API key for Temporal cannot be used; keeping the previous ones',
        );
      }
      problem = reason;
      return last;
    }
  };
  return () => {
    if (performance.now() < lookAtMs) return undefined;
    lookAtMs = performance.now() + everyMs;
    const next = read();
    if (isDeepStrictEqual(next, last)) return undefined;
    last = next;
    return next;
  };
}
