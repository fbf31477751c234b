import type { Models } from '../schemas/index.ts';
import type { TreeHeadDoc } from '../schemas/receipts.ts';

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

/** The newest heads, newest first. */
export async function readHeads({ treeHeads }: Models, limit: number): Promise<TreeHeadDoc[]> {
  return await treeHeads.find().sort({ _id: -1 }).limit(limit);
}

/** What a signed head says. @throws Error for what is none */
export const headIn = (signed: string): TreeHead =>
  JSON.parse(Buffer.from(signed.split('.')[1] ?? '', 'base64url').toString('utf8'));
