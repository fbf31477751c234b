import { type ApiTarget, findTarget, request } from './client.ts';
import { type Column, listTable, type Row, recordTable } from './table.ts';

/** How a command calls the API and prints the response, with the flags given before the command. */
export interface Session {
  /** Prints a page of a list; a list with one item is printed in full. */
  list(path: string, query: Record<string, unknown>, columns: readonly Column[]): Promise<void>;
  /** Sends one request and prints the resource in the response. */
  show(method: string, path: string, body?: Record<string, unknown>): Promise<void>;
}

export function createSession(
  flags: () => Partial<ApiTarget> & { json?: boolean },
  env: NodeJS.ProcessEnv,
  write: (text: string) => void,
): Session {
  const call = async (...args: [method: string, path: string, body?: Record<string, unknown>]) =>
    await request(await findTarget(flags(), env), ...args);
  const print = (response: unknown, table: () => string): void =>
    write(flags().json ? `${JSON.stringify(response, null, 2)}\n` : table());

  return {
    async list(path, query, columns) {
      const response = (await call('GET', path + queryString(query))) as ListResponse;
      print(response, () => listText(response, columns));
    },
    async show(method, path, body) {
      const response = (await call(method, path, body)) as Row;
      print(response, () => recordTable(response) + nextStep(response));
    },
  };
}

/** The command for approving a proposal, if the response is one. */
function nextStep({ proposal }: Row): string {
  const { proposalId, status } = (proposal ?? {}) as Row;
  if (status !== 'PROPOSED') return '';
  return `Another operator must approve it: admin proposals approve ${proposalId}\n`;
}

interface ListResponse {
  items: Row[];
  nextCursor: string | null;
}

function listText({ items, nextCursor }: ListResponse, columns: readonly Column[]): string {
  const [first] = items;
  if (!first) return 'Nothing found.\n';
  const table =
    items.length === 1 && nextCursor === null
      ? recordTable(first)
      : listTable(columns, items.map(withSummaries));
  return nextCursor ? `${table}More: --cursor ${nextCursor}\n` : table;
}

/** Adds short texts for the lists within a row: postings, secrets and tokens. */
function withSummaries(row: Row): Row {
  return withPostingSummary(withSecretSummary(withTokenSummary(row)));
}

/** Each account with its amount, in the account's unit. */
function withPostingSummary(row: Row): Row {
  if (!Array.isArray(row.postings)) return row;
  const postingSummary = row.postings
    .map(({ account, amount }) => `${account} ${amount > 0 ? '+' : ''}${amount}`)
    .join(', ');
  return { ...row, postingSummary };
}

/** A credential's secrets: their ids, and when each was last used. */
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
