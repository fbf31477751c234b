import { Schema } from 'mongoose';
import { type Delivery, deliveries } from '../../domain/delivery.ts';

/** One system of a partner that sends events: the specification's `source`. */
export interface IntegrationDoc {
  _id: string;
  partnerId: string;
  name: string;
  /** Who brings its customers their claim links. */
  delivery: Delivery;
  /** Whether customers who gave a phone number beside an email address get a text message, too. */
  alsoText: boolean;
  createdAt: Date;
}

export const integrationSchema = new Schema<IntegrationDoc>(
  {
    _id: { type: String, required: true },
    partnerId: { type: String, required: true },
    name: { type: String, required: true },
    delivery: { type: String, enum: deliveries, default: 'SERVICE' },
    alsoText: { type: Boolean, default: false },
    createdAt: { type: Date, required: true },
  },
  { collection: 'integrations', versionKey: false },
);
integrationSchema.index({ partnerId: 1, _id: 1 }, { unique: true });
