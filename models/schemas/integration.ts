import { Schema } from 'mongoose';
import { type Delivery, deliveries } from '../../domain/delivery.ts';
import type { OrderColumnNames } from '../../domain/order-file.ts';

/** One system of a partner that sends events; partners see it as `source`. */
export interface IntegrationDoc {
  _id: string;
  partnerId: string;
  name: string;
  /** Who delivers claim links to its customers. */
  delivery: Delivery;
  /** The column names of its export of orders, from the last file compared. */
  orderColumns?: OrderColumnNames;
  createdAt: Date;
}

export const integrationSchema = new Schema<IntegrationDoc>(
  {
    _id: { type: String, required: true },
    partnerId: { type: String, required: true },
    name: { type: String, required: true },
    delivery: { type: String, enum: deliveries, default: 'SERVICE' },
    orderColumns: { type: Schema.Types.Mixed },
    createdAt: { type: Date, required: true },
  },
  { collection: 'integrations', versionKey: false, minimize: false },
);
integrationSchema.index({ partnerId: 1, _id: 1 }, { unique: true });
