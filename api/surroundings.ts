import { X509Certificate } from 'node:crypto';
import { readFile, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { connect } from 'node:tls';
import type { Client } from '@temporalio/client';
import type { Config } from '../platform/config.ts';
import { checkPatienceMs, passes } from '../platform/passes.ts';

/** gRPC's codes of a server that does not respond, in time or at all; with any other it has. */
const unreachable = new Set([4, 14]);

/** Whether Temporal reaches its own database, from which it reads what it says about its cluster. */
export const temporalReachesDatabase = (temporal: Client): Promise<boolean> =>
  passes(() =>
    temporal
      .withDeadline(Date.now() + checkPatienceMs, () => temporal.workflowService.getClusterInfo({}))
      .catch((error: { code?: number }) => {
        if (error.code !== undefined && !unreachable.has(error.code)) return;
        throw error;
      }),
  );

/** The disk that a folder is on, or will be. @returns bytes */
export async function diskOf(folder: string): Promise<{ size: number; available: number }> {
  try {
    const { bsize, blocks, bavail } = await statfs(folder);
    return { size: bsize * blocks, available: bsize * bavail };
  } catch (error) {
    const parent = dirname(folder);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === folder) throw error;
    return await diskOf(parent);
  }
}

/**
 * When the certificates end that the service depends on: the portal's, as a browser gets it, and ours for Temporal.
 * @returns those that can be read
 */
export async function certificateEnds({
  portal,
  temporal,
}: Config): Promise<{ of: 'portal' | 'temporal'; endsAt: Date }[]> {
  const { certificate } = temporal.files;
  const reads = {
    portal: () => presentedBy(new URL(portal.url)),
    temporal: async () =>
      certificate === undefined ? null : new X509Certificate(await readFile(certificate)),
  };
  const all = await Promise.all(
    (['portal', 'temporal'] as const).map(async (of) => {
      const read = await reads[of]().catch(() => null);
      return read === null ? [] : [{ of, endsAt: new Date(read.validTo) }];
    }),
  );
  return all.flat();
}

/** The certificate of a site, valid or not; null without one. */
function presentedBy({ protocol, hostname, port }: URL): Promise<X509Certificate | null> {
  if (protocol !== 'https:') return Promise.resolve(null);
  return new Promise((resolve) => {
    const socket = connect({
      host: hostname,
      port: Number(port || 443),
      servername: hostname,
      // Nothing is sent, and an expired one is what this is to see.
      rejectUnauthorized: false,
      timeout: checkPatienceMs,
    });
    const end = (certificate: X509Certificate | null) => {
      socket.destroy();
      resolve(certificate);
    };
    socket.on('secureConnect', () => end(socket.getPeerX509Certificate() ?? null));
    socket.on('error', () => end(null));
    socket.on('timeout', () => end(null));
  });
}
