import type { OutboxRow } from '../../domain/outbox.ts';
import { collection, date, declared, text } from './fields.ts';

export type OutboxDoc = OutboxRow;

export const outboxSchema = declared<OutboxDoc>('outbox');
outboxSchema.index({ partnerId: 1, about: 1 });
// For the relay: LIVE before TEST, partners in turns, oldest first.
outboxSchema.index({ mode: 1, setApartAt: 1, partnerId: 1, nextAt: 1 });
outboxSchema.index({ kind: 1, at: 1 });
outboxSchema.index({ at: 1 });
// Set apart; usually none.
outboxSchema.index(
  { setApartAt: 1 },
  { partialFilterExpression: { setApartAt: { $type: 'date' } } },
);

/** A relay, and when it last said that it works, by the database's clock. */
export const relaySchema = collection('relays', { _id: text, seenAt: date });
relaySchema.index({ seenAt: 1 }, { expireAfterSeconds: 3_600 });
