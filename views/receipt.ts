import type { Receipt, SigningKey } from '../clients/typescript/types.ts';
import { consistencyProof, inclusionProof } from '../domain/merkle.ts';
import { ledgerKey } from '../models/ledger/index.ts';
import { createWriteLeaf, toText } from '../models/receipts/leaf.ts';
import { readHashes } from '../models/receipts/proofs.ts';
import { findSigner, readSigningKeys, signJws } from '../models/receipts/signing-keys.ts';
import { headIn, readHeads } from '../models/receipts/tree-heads.ts';
import type { PointsLinkDoc } from '../models/schemas/customers.ts';
import type { Config } from '../platform/config.ts';
import type { ModelDeps, ViewDeps } from './deps.ts';
import { type PartnerScope, scopeOf } from './partner-scope.ts';

type ReceiptDeps = Pick<ViewDeps, 'models' | 'sealer'> & {
  config: Pick<Config, 'customerHashKey'>;
};

/** More than a reward has: at most a hundred refunds, and a few entries for each life. */
const maxEntries = 500;

/** The newest key that tree heads are signed with, possibly retired; undefined before the first signing. */
export async function readSigner({ models }: ModelDeps): Promise<SigningKey | undefined> {
  return (await readSigningKeys(models))[0];
}

/**
 * The receipt of a reward of the customer whose link it is; null in TEST, and for another's.
 */
export async function readCustomerReceipt(
  deps: ReceiptDeps,
  { partnerId, customerId, mode }: Pick<PointsLinkDoc, 'partnerId' | 'customerId' | 'mode'>,
  rewardId: string,
): Promise<Receipt | null> {
  const own = { partnerId, _id: rewardId, customerId };
  const isOwn = mode === 'LIVE' && (await deps.models.rewards.exists(own)) !== null;
  return isOwn ? await readReceipt(deps, scopeOf({ _id: partnerId }), rewardId) : null;
}

/**
 * The receipt of a LIVE reward, made from the ledger and the newest two tree heads by a fixed number of reads of
 * keys. It contains no contact, so that it stays as it is when the customer is erased.
 * @returns null if no entry of the reward is under a tree head yet, or the key of the newest head was retired: the next
 *   head makes receipts again
 */
export async function readReceipt(
  { models, sealer, config }: ReceiptDeps,
  partnerId: PartnerScope,
  rewardId: string,
): Promise<Receipt | null> {
  const [found, [newest, before], keys, signer] = await Promise.all([
    models.ledger
      .find({ partnerId, rewardId, mode: 'LIVE' })
      .limit(maxEntries)
      .hint({ partnerId: 1, rewardId: 1 }),
    readHeads(models, 2),
    readSigningKeys(models),
    findSigner(models, sealer),
  ]);
  if (newest === undefined || signer?.keyId !== newest.keyId) return null;
  const entries = found.toSorted((a, b) => a.seq - b.seq);
  const leaves = await models.ledgerLeaves.find(
    { partnerId, seq: { $in: entries.map(({ seq }) => seq) }, _id: { $lt: newest._id } },
    { seq: 1 },
  );
  const indexOf = new Map(leaves.map(({ _id, seq }) => [seq, _id]));
  const logged = entries.flatMap((entry) => {
    const index = indexOf.get(entry.seq);
    return index === undefined ? [] : [{ entry, index, path: inclusionProof(index, newest._id) }];
  });
  if (logged.length === 0) return null;

  const consistency = before ? consistencyProof(before._id, newest._id) : [];
  const paths = logged.flatMap(({ path }) => path);
  const hashes = (await readHashes(models, [...consistency, ...paths])).map(toText);
  const next = (count: number) => hashes.splice(0, count);
  const writeLeaf = createWriteLeaf(ledgerKey(config.customerHashKey));
  const keyIds = [newest, before].flatMap((head) => head?.keyId ?? []);
  const pendingEntries = entries.length - logged.length;
  const indexes = logged.map(({ index }) => index);
  const { log, size } = headIn(newest.signed);
  return {
    format: 'partner-events/receipt/1',
    rewardId,
    pendingEntries,
    treeHead: newest.signed,
    previousTreeHead: before?.signed ?? null,
    consistencyProof: next(consistency.length),
    entries: logged.map(({ entry, index, path }) => ({
      index,
      leaf: writeLeaf(entry),
      inclusionProof: next(path.length),
    })),
    statement: signJws(signer, { log, size, rewardId, indexes, pendingEntries }),
    keys: keys.filter(({ kid }) => keyIds.includes(kid)),
  };
}
