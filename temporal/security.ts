import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { TLSConfig } from '@temporalio/client';
import type { Config } from '../platform/config.ts';

/** How a connection to Temporal is secured, as both connection types of the SDK take it. */
export interface Security {
  tls: boolean | TLSConfig;
  apiKey?: string;
}

/**
 * Reads the certificates.
 * @throws Error if a file cannot be read or is not a certificate, or if certificate and key do not
 *   belong together
 */
export function readSecurity(temporal: Config['temporal']): Security {
  const { apiKey, files, serverName } = temporal;
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
