import type { Models } from '../../models/schemas/index.ts';

/** Room for what a whole file asks. */
const profileBytes = 256 * 1024 ** 2;

/**
 * Sorted in memory, and few: a partner's own endpoints, what the audit finds unfinished, and what one round of a
 * wallet has reserved.
 */
const few =
  /^(webhook_endpoints|audit_entries: find \{status,at|rewards: find \{_id\{\$gt\},pendingSince|ledger_transactions: find \{partnerId,reference\{\$in\[\]\},kind,at\})/;

interface Profiled {
  ns: string;
  command: Record<string, unknown>;
  planSummary: string;
  hasSortStage?: boolean;
}

/**
 * Has MongoDB note every command on a database from now on.
 * @returns asks which of them looked through a whole collection, or sorted all that they had found, each
 *   shape once: the collection, the names of what was asked for, and how it was answered
 */
export async function noteScans({ connection }: Models): Promise<() => Promise<string[]>> {
  const { db } = connection;
  if (!db) throw new Error('the database is connected');
  await db.createCollection('system.profile', { capped: true, size: profileBytes });
  await db.command({ profile: 2 });
  return async () => {
    await db.command({ profile: 0 });
    const found = await db
      .collection<Profiled>('system.profile')
      .find({
        ns: { $not: /\.system\./ },
        $or: [
          { planSummary: /COLLSCAN/ },
          { hasSortStage: true, 'command.find': { $exists: true } },
        ],
      })
      .toArray();
    return [...new Set(found.map(shapeOf))].filter((shape) => !few.test(shape)).toSorted();
  };
}

function shapeOf({ ns, command, planSummary, hasSortStage }: Profiled): string {
  const { find, aggregate, count, distinct, filter, pipeline, q, query, sort } = command;
  const kind = Object.entries({ find, aggregate, count, distinct }).find(([, name]) => name)?.[0];
  const asked = filter ?? q ?? query ?? pipeline ?? {};
  const name = ns.slice(ns.indexOf('.') + 1);
  const order = sort ? ` by ${Object.keys(sort)}` : '';
  return `${name}: ${kind ?? 'write'} ${namesOf(asked)}${order}: ${planSummary}${hasSortStage ? ' SORT' : ''}`;
}

/** The fields of a filter or the stages of a pipeline, without what stands in them. */
function namesOf(asked: unknown): string {
  if (Array.isArray(asked)) return `[${asked.map(namesOf).join(' ')}]`;
  if (asked === null || typeof asked !== 'object' || asked.constructor !== Object) return '';
  return `{${Object.entries(asked)
    .map(([name, inside]) => name + namesOf(inside))
    .join(',')}}`;
}
