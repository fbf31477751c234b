import { logoTypes } from '../../domain/branding.ts';
import { collection, date, field, number, oneOf, type Stored, text } from './fields.ts';

/** The bytes of a partner's logo; the branding has the hash of the current one. */
export const logoSchema = collection('logos', {
  /** The hash. */
  _id: text,
  partnerId: text,
  type: oneOf(logoTypes),
  width: number,
  height: number,
  bytes: field<Buffer>({ type: Buffer, required: true }),
  createdAt: date,
});
export type LogoDoc = Stored<typeof logoSchema>;
logoSchema.index({ partnerId: 1 });
