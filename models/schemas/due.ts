import type { Schema } from 'mongoose';
import type { Due } from '../../domain/due.ts';
import { mixed, nullable } from './fields.ts';

/** What is due about a document; null if nothing is. */
export const dueField = <What extends string>() => nullable(mixed<Due<What>>());

/** The index of the documents of a collection that something is due about; usually few. */
export const whatIsDueIndex = 'what_is_due';

/** As the index has it, which it would not serve otherwise. */
export const isDue = { 'due.since': { $gt: new Date(0) } };

/** For the relay: LIVE before TEST, partners in turns, oldest first. Documents have a mode and a partner. */
export function indexWhatIsDue(schema: Pick<Schema, 'index'>): void {
  schema.index(
    { mode: 1, 'due.setApartAt': 1, partnerId: 1, 'due.nextAt': 1, 'due.since': 1 },
    { name: whatIsDueIndex, partialFilterExpression: isDue },
  );
}
