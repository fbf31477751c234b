import { deliveries } from '../../domain/delivery.ts';
import type { OrderColumnNames } from '../../domain/order-file.ts';
import {
  collection,
  date,
  flag,
  mixed,
  oneOf,
  optional,
  type Stored,
  text,
  withDefault,
} from './fields.ts';

/** One system of a partner that sends events; partners see it as `source`. */
export const integrationSchema = collection(
  'integrations',
  {
    _id: text,
    partnerId: text,
    name: text,
    /** Who delivers claim links to its customers. */
    delivery: withDefault(oneOf(deliveries), 'SERVICE'),
    /** Whether customers who gave both an email address and a phone number get a text message, too. */
    alsoText: withDefault(flag, false),
    /** The column names of its export of orders, from the last file compared. */
    orderColumns: optional(mixed<OrderColumnNames>()),
    createdAt: date,
  },
  { minimize: false },
);
export type IntegrationDoc = Stored<typeof integrationSchema>;
integrationSchema.index({ partnerId: 1, _id: 1 }, { unique: true });
