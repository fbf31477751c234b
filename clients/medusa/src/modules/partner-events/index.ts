import { Module } from '@medusajs/framework/utils';
import { PartnerEventsService } from './service';

export const partnerEventsModule = 'partnerEvents';

export default Module(partnerEventsModule, { service: PartnerEventsService });
