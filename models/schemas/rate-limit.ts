import { modes } from '../../domain/mode.ts';
import { collection, date, number, oneOf, type Stored, text } from './fields.ts';

/**
 * The current rate limit window of a partner in one mode. API processes write it when they take a
 * block of requests; it is deleted after the window.
 */
export const rateLimitSchema = collection('rate_limits', {
  partnerId: text,
  mode: oneOf(modes),
  /** How many requests of this window processes have taken, used or not. */
  taken: number,
  /** The size of the latest block. */
  granted: number,
  /** By the database's clock. */
  endsAt: date,
  /** The rest of the window, by the same clock, when the latest block was taken. */
  leftMs: number,
});
export type RateLimitDoc = Stored<typeof rateLimitSchema>;
rateLimitSchema.index({ partnerId: 1, mode: 1 }, { unique: true });
rateLimitSchema.index({ endsAt: 1 }, { expireAfterSeconds: 0 });
