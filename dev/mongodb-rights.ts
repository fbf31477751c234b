import { existsSync, readFileSync } from 'node:fs';
import mongoose from 'mongoose';
import { createModels } from '../models/schemas/index.ts';

/** Operations on a collection's documents, with MongoDB's names. */
export type Right = 'find' | 'insert' | 'update' | 'remove';

/** By process and collection, the allowed operations. */
export type Rights = Record<string, Record<string, Right[]>>;

const root = new URL('../', import.meta.url);

/** What each process runs, and which commands run with its user. */
const entries: Record<string, string[]> = {
  api: [
    'api/server.ts',
    'cli/create-admin.ts',
    'cli/demo.ts',
    'cli/erase-again.ts',
    'cli/note-backup.ts',
  ],
  portal: ['portal/server.ts'],
  worker: ['worker/worker.ts', 'cli/audit.ts'],
};

const methods: [RegExp, Right[]][] = [
  [/^(create|insertOne|insertMany)$/, ['insert']],
  [/^(updateOne|updateMany|findOneAndUpdate|bulkWrite)$/, ['update']],
  [/^(deleteOne|deleteMany|findOneAndDelete)$/, ['remove']],
];

/** Helpers that write to a collection passed as an argument. */
const helpers: Record<string, Right[]> = {
  insertMissing: ['insert'],
  upsertUnjournaled: ['insert', 'update'],
  addWithinLimit: ['insert', 'update'],
};

/** Where the code uses another name for a collection. */
const particular: Record<string, Record<string, Right[]>> = {
  'models/events/refusal-totals.ts': { refusalTotals: ['insert'] },
  'models/commit.ts': {
    wallets: ['insert', 'update'],
    ledger: ['insert'],
    rewards: ['find', 'insert', 'update'],
    customerBalances: ['find', 'insert', 'update'],
    redemptions: ['find', 'insert', 'update'],
    subscriptions: ['find', 'insert', 'update'],
    usagePeriods: ['find', 'insert', 'update'],
    customerDays: ['find', 'insert', 'update'],
    ruleBudgets: ['find', 'insert', 'update'],
    orderEvents: ['insert', 'update'],
    redemptionEvents: ['insert'],
    reviews: ['insert', 'update'],
    pointsEnds: ['insert'],
    invoices: ['find', 'insert', 'update'],
    webhookDeliveries: ['insert'],
  },
  'models/due.ts': {
    orderEvents: ['find', 'update'],
    rewards: ['find', 'update'],
    redemptions: ['find', 'update'],
    wallets: ['find', 'update'],
  },
  'api/request-log.ts': { requestLog: ['insert', 'update'] },
};

/** The stored table, beside the script that creates the users. */
export const rightsFile = new URL('deploy/mongodb/rights.json', root);

/**
 * Derives each process's rights from its code: all files that it imports, directly or not. Everything in a
 * file counts for each process that imports it.
 */
export function rightsOfProcesses(): Rights {
  const { connection: _, ...models } = createModels(mongoose.createConnection());
  const collections = Object.entries(models).map(
    ([key, model]) => [key, model.collection.name] as const,
  );
  return Object.fromEntries(
    Object.entries(entries).map(([process, files]) => {
      const texts = [...importedBy(files)].map(
        ([path, text]) => [path, withoutComments(text)] as const,
      );
      const rights = collections.map(([key, name]) => {
        const all = new Set(texts.flatMap(([path, text]) => rightsIn(path, text, key, name)));
        return [name, order.filter((right) => all.has(right))] as const;
      });
      return [process, Object.fromEntries(rights.filter(([, all]) => all.length > 0).toSorted())];
    }),
  );
}

/** One line per collection, as the formatter writes it. */
export function textOfRights(rights: Rights): string {
  const lists = /\[\s*([^\]]*?)\s*\]/g;
  const text = JSON.stringify(rights, null, 2);
  return `${text.replaceAll(lists, (_, list: string) => `[${list.replaceAll(/\s+/g, ' ')}]`)}\n`;
}

const order: Right[] = ['find', 'insert', 'update', 'remove'];

function rightsIn(path: string, text: string, key: string, name: string): Right[] {
  const isNamed = new RegExp(`models\\.${key}\\b|from: '${name}'`).test(text);
  const isTaken = new RegExp(`{[^{}]*\\b${key}\\b[^{}]*}[^;]*\\b[mM]odels\\b`).test(text);
  const found: Right[] = [...(particular[path]?.[key] ?? [])];
  const calls = new RegExp(`\\b${key}(?:\\.collection)?\\s*\\.(\\w+)\\(`, 'g');
  for (const [, method = ''] of text.matchAll(calls)) {
    for (const [pattern, rights] of methods) {
      if (!pattern.test(method)) continue;
      found.push(...rights);
      if (rights.includes('update') && /upsert: true|insertOne: /.test(text)) found.push('insert');
    }
  }
  const given = new RegExp(`\\b(${Object.keys(helpers).join('|')})\\([^;]*?\\b${key}\\b`, 'g');
  for (const [, helper = ''] of text.matchAll(given)) found.push(...(helpers[helper] ?? []));
  // Written data can be read too.
  return isNamed || isTaken || found.length > 0 ? ['find', ...found] : [];
}

/** The files that these import, directly or not, with their texts; type imports are erased. */
function importedBy(files: string[]): Map<string, string> {
  const texts = new Map<string, string>();
  const waiting = [...files];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (texts.has(path)) continue;
    const url = new URL(path, root);
    if (!existsSync(url)) throw new Error(`${path} is imported, but does not exist.`);
    const text = readFileSync(url, 'utf8');
    texts.set(path, text);
    for (const [statement, from = ''] of text.matchAll(
      /^(?:import|export)\b[\w\s{}*,$]*?(?: from )?'(\.[^']+\.ts)'/gm,
    )) {
      if (/^(import|export) type\b/.test(statement)) continue;
      waiting.push(new URL(from, url).pathname.slice(root.pathname.length));
    }
  }
  return texts;
}

const withoutComments = (text: string) =>
  text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '');
