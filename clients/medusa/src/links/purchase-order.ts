import { defineLink } from '@medusajs/framework/utils';
import OrderModule from '@medusajs/medusa/order';
import PartnerEventsModule from '../modules/partner-events';

/** The order that earned: `order.*` among the fields of a `partner_events_purchase`. */
export default defineLink(
  { linkable: PartnerEventsModule.linkable.partnerEventsPurchase, field: 'order_id' },
  OrderModule.linkable.order,
  { readOnly: true },
);
