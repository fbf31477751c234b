import { type ApiTarget, findTarget, request } from './client.ts';
import { type Column, listTable, type Row, recordTable } from './table.ts';

/** What every command of one call shares: the flags before it, and where its output goes. */
export interface Session {
  /** Prints a page of a list; a list of one is shown in full. */
  list(path: string, query: Record<string, unknown>, columns: readonly Column[]): Promise<void>;
  /** Does something, or looks at one thing, and prints it. */
  show(method: string, path: string, body?: Record<string, unknown>): Promise<void>;
}

export function createSession(
  flags: () => Partial<ApiTarget> & { json?: boolean },
  env: NodeJS.ProcessEnv,
  write: (text: string) => void,
): Session {
  const ask = async (...what: [method: string, path: string, body?: Record<string, unknown>]) =>
    await request(await findTarget(flags(), env), ...what);
  const print = (answer: unknown, table: () => string): void =>
    write(flags().json ? `${JSON.stringify(answer, null, 2)}\n` : table());

  return {
    async list(path, query, columns) {
      const answer = (await ask('GET', path + queryString(query))) as ListAnswer;
      print(answer, () => listText(answer, columns));
    },
    async show(method, path, body) {
      const answer = (await ask(method, path, body)) as Row;
      print(answer, () => recordTable(answer) + nextStep(answer));
    },
  };
}

/** What is left to do, where another operator has to approve. */
function nextStep({ proposal }: Row): string {
  const { proposalId, status } = (proposal ?? {}) as Row;
  if (status !== 'PROPOSED') return '';
  return `Another operator must approve it: admin proposals approve ${proposalId}\n`;
}

interface ListAnswer {
  items: Row[];
  nextCursor: string | null;
}

function listText({ items, nextCursor }: ListAnswer, columns: readonly Column[]): string {
  const [first] = items;
  if (!first) return 'Nothing found.\n';
  const table =
    items.length === 1 && nextCursor === null
      ? recordTable(first)
      : listTable(columns, items.map(withSummaries));
  return nextCursor ? `${table}More: --cursor ${nextCursor}\n` : table;
}

/** Lists inside a row, each as a short text: postings, secrets and tokens. */
function withSummaries(row: Row): Row {
  return withPostingSummary(withSecretSummary(withTokenSummary(row)));
}

/** Each account and what it got, in its unit. */
function withPostingSummary(row: Row): Row {
  if (!Array.isArray(row.postings)) return row;
  const postingSummary = row.postings
    .map(({ account, amount }) => `${account} ${amount > 0 ? '+' : ''}${amount}`)
    .join(', ');
  return { ...row, postingSummary };
}

/** A credential's secrets: what an operator needs in order to revoke one. */
function withSecretSummary(row: Row): Row {
  if (!Array.isArray(row.secrets)) return row;
  const secretSummary = row.secrets
    .map(({ secretId, revokedAt, lastUsedAt }) =>
      revokedAt
        ? `${secretId} revoked`
        : `${secretId} ${lastUsedAt ? `used ${lastUsedAt}` : 'unused'}`,
    )
    .join(', ');
  return { ...row, secretSummary };
}

/** An operator's tokens: when and from where each was last used. */
function withTokenSummary(row: Row): Row {
  if (!Array.isArray(row.tokens)) return row;
  const tokenSummary = row.tokens
    .map(({ tokenId, revokedAt, lastUsedAt, lastUsedFrom }) => {
      const use = lastUsedAt ? `used ${lastUsedAt} from ${lastUsedFrom}` : 'unused';
      return `${tokenId} ${revokedAt ? 'revoked' : use}`;
    })
    .join(', ');
  return { ...row, tokenSummary };
}

function queryString(query: Record<string, unknown>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const parameters = new URLSearchParams(
    given.map(([name, value]): [string, string] => [name, String(value)]),
  );
  return parameters.size > 0 ? `?${parameters}` : '';
}
