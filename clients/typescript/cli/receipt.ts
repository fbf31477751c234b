import type { PartnerClient } from '../client.ts';
import { InvalidReceiptError, type VerifiedReceipt, verifyReceipt } from '../receipt.ts';
import type { Receipt, SigningKey } from '../types.ts';
import { readInput } from './input.ts';
import { toJson } from './json.ts';
import { table } from './render.ts';
import { UsageError } from './usage-error.ts';

export const verifyHelp = `
Get the public keys once, and keep them: curl https://<api>/.well-known/jwks.json > keys.json
Without --key, only the keys in the receipt itself are used, which says nothing about who made it.
Exit codes: 0 everything in it is proved, 1 something is wrong, 2 the command itself is wrong.`;

/** Prints a receipt as it is to be kept. */
export async function downloadReceipt(client: PartnerClient, rewardId: string): Promise<void> {
  const { receipt } = await client.receipt(rewardId);
  process.stdout.write(toJson(receipt));
}

/** Verifies a receipt, and says what it proves and what it does not. Sets the exit code. @throws UsageError */
export async function verify(
  file: string,
  { key, json = false }: { key?: string; json?: boolean },
): Promise<void> {
  const read = (await readJson(file)) as { receipt?: Receipt } & Receipt;
  // A response of the API has it in a field.
  const receipt: Receipt = read.receipt ?? read;
  const given = key === undefined ? undefined : keysIn(await readJson(key), key);
  try {
    const found = verifyReceipt(receipt, given ?? receipt.keys ?? []);
    const isTrusted = given !== undefined;
    process.stdout.write(
      json ? toJson({ isTrusted, ...found }) : printable(render(found, isTrusted)),
    );
    if (!isTrusted) process.stderr.write(warning);
  } catch (error) {
    if (!(error instanceof InvalidReceiptError)) throw error;
    const { message } = error;
    process.stderr.write(json ? toJson({ error: { message } }) : `Not proved: ${message}.\n`);
    process.exitCode = 1;
  }
}

const warning = `Warning: the key comes from the receipt itself, so whoever made the file could have made the key.
Give the service's keys with --key, from /.well-known/jwks.json of its API.
`;

async function readJson(file: string): Promise<unknown> {
  const text = (await readInput(file === '-' ? '-' : `@${file}`)).toString('utf8');
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Falls through to the same message.
  }
  throw new UsageError(`${file} is not JSON`);
}

/** A JWK set, or one of its keys. */
function keysIn(read: unknown, file: string): SigningKey[] {
  const keys = (read as { keys?: unknown }).keys ?? [read];
  const isKey = (one: unknown) => typeof (one as { x?: unknown } | null)?.x === 'string';
  if (Array.isArray(keys) && keys.every(isKey)) return keys as SigningKey[];
  throw new UsageError(`${file} is neither a JWK set nor a JWK`);
}

/** Without control characters, which a forged receipt could contain. */
const printable = (text: string): string => text.replace(/[^\P{Cc}\n]/gu, '');

function render(found: VerifiedReceipt, isTrusted: boolean): string {
  const { rewardId, entries, pendingEntries, head, previous } = found;
  const count = entries.length === 1 ? '1 entry' : `${entries.length} entries`;
  const rows = entries.flatMap(({ at, kind, postings }) =>
    postings.map(({ account, unit, amount }, place) => [
      place === 0 ? at : '',
      place === 0 ? kind : '',
      account,
      `${amount} ${unit.toLowerCase()}`,
    ]),
  );
  const grown =
    previous === null
      ? 'This is the first tree head of the log.'
      : `Since the head of ${previous.signedAt}, none of its ${previous.size} entries was changed, moved or removed.`;
  const source = isTrusted ? 'which you gave' : 'which only the receipt names';
  const later =
    pendingEntries === 0
      ? 'That nothing happened to the reward later: a newer receipt says more.'
      : `What happened later: ${pendingEntries} more of its entries wait for the next tree head.`;
  return `Receipt of reward ${rewardId}
${table(['When', 'Kind', 'Account', 'Amount'], rows)}
Proved
  The ledger of ${head.log} had ${count} of this reward, as above, at ${head.signedAt}.
  They are in a log of ${head.size} entries, whose head is signed with key ${head.keyId}, ${source}.
  ${grown}
  So the service cannot change or drop them without contradicting its own signature.

Not proved
  ${later}
  That everybody is shown the same log: compare the tree head with those of other receipts of that day.
  Who the customer is, and what was paid outside of this ledger.
`;
}
