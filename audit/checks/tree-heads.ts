import { append, type Complete, rootOf } from '../../domain/merkle.ts';
import { toText } from '../../models/receipts/leaf.ts';
import { logSize, readRoot } from '../../models/receipts/proofs.ts';
import { isSigned, readSigningKeys } from '../../models/receipts/signing-keys.ts';
import { headIn } from '../../models/receipts/tree-heads.ts';
import type { LedgerLeafDoc, TreeHeadDoc } from '../../models/schemas/receipts.ts';
import { sha256 } from '../../platform/hashing.ts';
import type { Check, LoggedHead } from '../audit.ts';
import { pageSize, pagesOf } from '../pages.ts';

const name = 'log of receipts: each tree head is signed, and continues the one before it';

/**
 * Builds the tree anew from its leaves, in bounded memory, and compares each head with it. Heads of one tree are
 * consistent with each other.
 */
export const treeHeadsHold: Check = {
  name,
  async run(deps, report) {
    const { models, partnerId, pace } = deps;
    if (partnerId !== undefined) return;
    report.looked(name, 0);
    const keys = await readSigningKeys(models);
    const heads = headsOf(deps);
    let head = await heads.next();
    let size = 0;
    let peaks: Complete[] = [];
    const read = (last: LedgerLeafDoc | undefined) =>
      models.ledgerLeaves
        .find({ _id: { $gt: last?._id ?? -1 } })
        .sort({ _id: 1 })
        .limit(pageSize);
    for await (const leaves of pagesOf<LedgerLeafDoc>(read)) {
      for (const { _id, hashes } of leaves) {
        if (_id !== size) report.fault(name, `leaf ${_id} follows leaf ${size - 1}`);
        const grown = append(sha256, peaks, Buffer.from(hashes[0] ?? '', 'base64'));
        if (hashes.join() !== grown.completed.map(toText).join()) {
          report.fault(name, `leaf ${_id} has hashes that do not follow from the leaves`);
        }
        peaks = grown.peaks;
        size = _id + 1;
        for (; head.value?._id === size; head = await heads.next()) {
          const root = toText(
            rootOf(
              sha256,
              peaks.map(({ hash }) => hash),
            ),
          );
          const problem = problemOf(head.value.signed, { size, root });
          if (problem !== undefined) report.fault(name, `tree head of ${size}: ${problem}`);
          else if (!isSigned(head.value.signed, keys)) {
            report.fault(name, `tree head of ${size}: none of our keys signed it`);
          }
          report.looked(name, 1);
        }
      }
      await pace();
    }
    for (; !head.done; head = await heads.next()) {
      report.fault(name, `tree head of ${head.value._id}: the log has ${size} leaves`);
    }
  },
};

async function* headsOf({
  models,
}: Parameters<Check['run']>[0]): AsyncGenerator<TreeHeadDoc, undefined> {
  const read = (last: TreeHeadDoc | undefined) =>
    models.treeHeads
      .find({ _id: { $gt: last?._id ?? 0 } })
      .sort({ _id: 1 })
      .limit(pageSize);
  for await (const heads of pagesOf<TreeHeadDoc>(read)) yield* heads;
}

function problemOf(signed: string, tree: { size: number; root: string }): string | undefined {
  try {
    const { size, rootHash } = headIn(signed);
    return size === tree.size && rootHash === tree.root ? undefined : 'the log has another root';
  } catch {
    return 'it cannot be read';
  }
}

function sizeIn(signed: string): number | undefined {
  try {
    const { size } = headIn(signed);
    return Number.isSafeInteger(size) && size > 0 ? size : undefined;
  } catch {
    return undefined;
  }
}

const loggedName = 'log: each of its tree heads is one of the log of receipts';

/** Compares the log with the heads recorded outside the database, which reveals one that was rewritten as a whole. */
export function loggedHeadsHold(logged: AsyncIterable<LoggedHead>): Check {
  return {
    name: loggedName,
    async run({ models }, report) {
      report.looked(loggedName, 0);
      for await (const { line, signed } of logged) {
        const problem = await readHead(signed);
        if (problem !== undefined) report.fault(loggedName, `line ${line}: ${problem}`);
        report.looked(loggedName, 1);
      }

      async function readHead(signed: string): Promise<string | undefined> {
        const size = sizeIn(signed);
        if (size === undefined) return 'it cannot be read';
        if (size > (await logSize(models))) return `the log has fewer leaves than ${size}`;
        return problemOf(signed, { size, root: await readRoot(models, size) });
      }
    },
  };
}
