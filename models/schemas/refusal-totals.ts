import { Schema } from 'mongoose';
import type { PartnerErrorCode } from '../../domain/errors.ts';
import { type Mode, modes } from '../../domain/mode.ts';

/** How many requests of a partner were refused on a UTC day, by code. */
export interface RefusalTotalsDoc {
  /** Partner, mode and day. */
  _id: string;
  partnerId: string;
  mode: Mode;
  /** `yyyy-mm-dd`, in UTC. */
  day: string;
  codes: Partial<Record<PartnerErrorCode, number>>;
}

export const refusalTotalsSchema = new Schema<RefusalTotalsDoc>(
  {
    _id: { type: String, required: true },
    partnerId: { type: String, required: true },
    mode: { type: String, enum: modes, required: true },
    day: { type: String, required: true },
    codes: { type: Schema.Types.Mixed, required: true },
  },
  { collection: 'refusal_totals', versionKey: false },
);
refusalTotalsSchema.index({ partnerId: 1, mode: 1, day: 1 });
