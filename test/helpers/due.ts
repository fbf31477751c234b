import type { Due } from '../../domain/due.ts';
import type { DueDocument } from '../../domain/due-documents.ts';
import { dueCollections } from '../../models/due.ts';
import { isDue } from '../../models/schemas/due.ts';
import type { AnyCollection, Models } from '../../models/schemas/index.ts';

/** Everything that is due, of a partner or of all, the oldest first. */
export async function allDue(models: Models, partnerId?: string): Promise<DueDocument[]> {
  const found = await Promise.all(
    dueCollections.map(async (of) => {
      const collection = models[of].collection as unknown as AnyCollection;
      const filter = { ...isDue, ...(partnerId !== undefined && { partnerId }) };
      const documents = await collection.find(filter).toArray();
      return documents.map((document) => ({ of, document }) as unknown as DueDocument);
    }),
  );
  const sinceMs = ({ document }: DueDocument) => document.due?.since.getTime() ?? 0;
  return found.flat().toSorted((one, other) => sinceMs(one) - sinceMs(other));
}

/** What is due, in words. */
export async function whatIsDue(models: Models, partnerId?: string): Promise<string[]> {
  return (await allDue(models, partnerId)).flatMap(({ document }) => document.due?.what ?? []);
}

/** Changes what is due on documents. */
export async function changeDue(
  models: Models,
  { of, document }: Pick<DueDocument, 'of'> & { document: { _id: string } },
  changes: Partial<Due>,
): Promise<void> {
  const $set = Object.fromEntries(
    Object.entries(changes).map(([name, value]) => [`due.${name}`, value]),
  );
  await (models[of].collection as unknown as AnyCollection).updateOne(
    { _id: document._id },
    { $set },
  );
}
