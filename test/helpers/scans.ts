import type { Models } from '../../models/schemas/index.ts';

/** Enough for the commands of a whole test file. */
const profileBytes = 256 * 1024 ** 2;

/**
 * Allowed to sort in memory, because they find few documents: a partner's endpoints, incomplete audit
 * entries, and the rewards that one round of a wallet reserved.
 */
const allowedSorts =
  /^(webhook_endpoints|audit_entries: find \{status,at|ledger_transactions: find \{partnerId,reference\{\$in\[\]\},kind,at\})/;

interface Profiled {
  ns: string;
  command: Record<string, unknown>;
  planSummary: string;
  hasSortStage?: boolean;
}

/**
 * Makes MongoDB profile every command on a database from now on.
 * @returns a function that lists the shapes of commands that scanned a collection or sorted in memory:
 *   the collection, the fields of the filter, and the plan
 */
export async function profileScans({ connection }: Models): Promise<() => Promise<string[]>> {
  const { db } = connection;
  if (!db) throw new Error('the database is not connected');
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
    return [...new Set(found.map(shapeOf))].filter((shape) => !allowedSorts.test(shape)).toSorted();
  };
}

function shapeOf({ ns, command, planSummary, hasSortStage }: Profiled): string {
  const { find, aggregate, count, distinct, filter, pipeline, q, query, sort } = command;
  const kind = Object.entries({ find, aggregate, count, distinct }).find(([, name]) => name)?.[0];
  const condition = filter ?? q ?? query ?? pipeline ?? {};
  const name = ns.slice(ns.indexOf('.') + 1);
  const order = sort ? ` by ${Object.keys(sort)}` : '';
  return `${name}: ${kind ?? 'write'} ${namesOf(condition)}${order}: ${planSummary}${hasSortStage ? ' SORT' : ''}`;
}

/** The fields of a filter, or the stages of a pipeline, without their values. */
function namesOf(condition: unknown): string {
  if (Array.isArray(condition)) return `[${condition.map(namesOf).join(' ')}]`;
  if (condition === null || typeof condition !== 'object' || condition.constructor !== Object) {
    return '';
  }
  return `{${Object.entries(condition)
    .map(([name, value]) => name + namesOf(value))
    .join(',')}}`;
}
