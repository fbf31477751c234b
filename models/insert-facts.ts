import { mongo } from 'mongoose';
import { Draft, readOf } from '../domain/draft.ts';
import { currentTraceparent } from '../platform/tracing.ts';
import type { CommitDeps, Fact, Settled } from './fact.ts';
import type { OrderEventDoc } from './schemas/events.ts';
import { refusedWrites } from './store/insert-once.ts';

/** After this an insert is given up; whether it was made is found by the keys of its events. */
const patienceMs = 8_000;

/** Inserts the events of facts that read nothing together, without a transaction. */
export async function insertFacts(
  { models, now, tell }: CommitDeps,
  facts: readonly Fact<unknown>[],
): Promise<Settled[]> {
  const at = new Date(now());
  const traceparent = currentTraceparent();
  const terms = { at, lowBalanceThresholdCents: 0, subscription: null, traceparent };
  const decided = facts.map((fact) => {
    const draft = new Draft(readOf({ partnerId: fact.partnerId }));
    try {
      const outcome = fact.decide(draft, terms);
      return { settled: { outcome }, event: eventOf(draft) };
    } catch (refusal) {
      return { settled: { refusal }, event: null };
    }
  });
  const events = decided.flatMap(({ event }) => event ?? []);
  const refused = await insertEach(models.orderEvents.collection, events);
  const stored = events.filter((event) => !refused.has(event));
  tell?.(stored.map((document) => ({ of: 'orderEvents', document })));
  return decided.map(({ settled, event }) => {
    const refusal = event && refused.get(event);
    return refusal ? { refusal } : settled;
  });
}

function eventOf({ inserts }: Draft): OrderEventDoc {
  const [insert, ...more] = inserts;
  if (insert?.into !== 'orderEvents' || more.length > 0) {
    throw new Error('the fact is not one event');
  }
  return insert.document as OrderEventDoc;
}

/** @returns the errors of those that were refused; all others are stored */
async function insertEach<Doc extends mongo.Document>(
  collection: mongo.Collection<Doc>,
  documents: readonly Doc[],
): Promise<ReadonlyMap<Doc, Error>> {
  const refused = new Map<Doc, Error>();
  if (documents.length === 0) return refused;
  try {
    await collection.insertMany(documents as never[], {
      ordered: false,
      writeConcern: { w: 'majority', journal: true },
      timeoutMS: patienceMs,
    });
  } catch (error) {
    const writes = refusedWrites(error);
    // Nothing is known of any: who sends them again finds those that were stored.
    if (writes.length === 0) throw error;
    for (const { index, code, errmsg = 'refused' } of writes) {
      const document = documents[index];
      if (document) refused.set(document, new mongo.MongoServerError({ code, message: errmsg }));
    }
  }
  return refused;
}
