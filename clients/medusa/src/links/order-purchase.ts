import { defineLink } from '@medusajs/framework/utils';
import OrderModule from '@medusajs/medusa/order';
import PartnerEventsModule from '../modules/partner-events';

/** What an order earned: `partner_events_purchases.*` among the fields of an order. */
export default defineLink(
  { linkable: OrderModule.linkable.order, field: 'id' },
  { ...PartnerEventsModule.linkable.partnerEventsPurchase.id, primaryKey: 'order_id' },
  { readOnly: true, isList: true },
);
