import type { mongo } from 'mongoose';
import type { AuditDeps } from './audit.ts';

export const pageSize = 250;

/** The order of strings in MongoDB. */
export const byBytes = (a: string, b: string): number =>
  Buffer.compare(Buffer.from(a), Buffer.from(b));

/**
 * Reads a collection in pages, each by a query from the last document of the one before, so that no
 * cursor stays open on the server while a page is processed.
 */
export async function* pagesOf<T>(
  read: (after: T | undefined) => Promise<T[]>,
): AsyncGenerator<T[]> {
  let last: T | undefined;
  for (;;) {
    const page = await read(last);
    if (page.length > 0) yield page;
    if (page.length < pageSize) return;
    last = page.at(-1);
  }
}

/** Groups single items into pages. */
export async function* groupIntoPages<T>(items: AsyncIterable<T>): AsyncGenerator<T[]> {
  let page: T[] = [];
  for await (const item of items) {
    page.push(item);
    if (page.length < pageSize) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

/**
 * Every partner that any document belongs to, even one that does not exist itself; or the audited
 * one.
 * @param from only partners after this one, by id
 */
export async function* partnersOf(
  { models, partnerId }: Pick<AuditDeps, 'models' | 'partnerId'>,
  from: string,
): AsyncGenerator<string> {
  if (partnerId !== undefined) {
    if (partnerId > from) yield partnerId;
    return;
  }
  const collections = [
    models.rewards,
    models.orderEvents,
    models.invoices,
    models.auditCheckpoints,
    models.wallets,
    models.ledger,
  ].map(({ collection }) => collection as unknown as mongo.Collection);
  for (let last = from; ; ) {
    const after = { partnerId: { $gt: last } };
    // Each collection has an index that begins with the partner, so that this reads one key of
    // each.
    const found = await Promise.all([
      ...collections.map((collection) =>
        collection.findOne(after, { sort: { partnerId: 1 }, projection: { partnerId: 1 } }),
      ),
      models.partners
        .findOne({ _id: { $gt: last } }, { _id: 1 })
        .sort({ _id: 1 })
        .then((partner) => partner && { partnerId: partner._id }),
    ]);
    const next = found.flatMap((doc) => (doc ? [String(doc.partnerId)] : [])).toSorted(byBytes)[0];
    if (next === undefined) return;
    yield next;
    last = next;
  }
}
