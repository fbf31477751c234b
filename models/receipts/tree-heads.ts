import type { Models } from '../schemas/index.ts';
import type { TreeHeadDoc } from '../schemas/receipts.ts';
import { insertOnce } from '../store/insert-once.ts';
import { logSize, readRoot } from './log.ts';
import { currentSigner, type SigningDeps, signJws } from './signing-keys.ts';

/** What a tree head says. */
export interface TreeHead {
  /** Whose log it is: the URL of the portal. */
  log: string;
  /** How many leaves it covers. */
  size: number;
  /** Base64. */
  rootHash: string;
  /** ISO 8601. */
  signedAt: string;
}

/**
 * Signs the head of the log, unless nothing was appended since the last one.
 * @returns how many leaves the newest head covers
 */
export async function signHead(
  deps: SigningDeps & { portalUrl: string },
  signedAt: Date,
): Promise<number> {
  const { models, auditLog, portalUrl: log } = deps;
  const size = await logSize(models);
  if (size === 0 || (await models.treeHeads.exists({ _id: size }))) return size;
  const rootHash = await readRoot(models, size);
  const head: TreeHead = { log, size, rootHash, signedAt: signedAt.toISOString() };
  const signer = await currentSigner(deps, signedAt);
  const { keyId } = signer;
  const signed = signJws(signer, head);
  await auditLog('treeHead', [signed]);
  await insertOnce(() => models.treeHeads.create({ _id: size, keyId, signedAt, signed }));
  return size;
}

/** The newest heads, newest first. */
export async function readHeads({ treeHeads }: Models, limit: number): Promise<TreeHeadDoc[]> {
  return await treeHeads.find().sort({ _id: -1 }).limit(limit);
}

/** What a signed head says. @throws Error for what is none */
export const headIn = (signed: string): TreeHead =>
  JSON.parse(Buffer.from(signed.split('.')[1] ?? '', 'base64url').toString('utf8'));
