import { modes } from '../../domain/mode.ts';
import { collection, date, oneOf, type Stored, text } from './fields.ts';

/** A link to a customer's points at one partner in one mode, valid for a day. */
export const pointsLinkSchema = collection('points_links', {
  /** The hash of the token in the message. */
  _id: text,
  partnerId: text,
  customerId: text,
  mode: oneOf(modes),
  /** The data key of the contact it was sent to: once that is destroyed, the link shows nothing. */
  dataKeyId: text,
  expiresAt: date,
});
export type PointsLinkDoc = Stored<typeof pointsLinkSchema>;
pointsLinkSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
