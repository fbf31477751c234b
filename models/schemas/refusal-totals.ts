import type { PartnerErrorCode } from '../../domain/errors.ts';
import { modes } from '../../domain/mode.ts';
import { collection, mixed, oneOf, type Stored, text } from './fields.ts';

/** How many requests of a partner were refused on a UTC day, by code. */
export const refusalTotalsSchema = collection('refusal_totals', {
  /** Partner, mode and day. */
  _id: text,
  partnerId: text,
  mode: oneOf(modes),
  /** `yyyy-mm-dd`, in UTC. */
  day: text,
  codes: mixed<Partial<Record<PartnerErrorCode, number>>>(),
});
export type RefusalTotalsDoc = Stored<typeof refusalTotalsSchema>;
refusalTotalsSchema.index({ partnerId: 1, mode: 1, day: 1 });
