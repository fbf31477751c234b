import { model } from '@medusajs/framework/utils';

/** One row: how the shop talks to the service. */
export const Setting = model.define('partner_events_setting', {
  id: model.id().primaryKey(),
  is_enabled: model.boolean(),
  mode: model.enum(['TEST', 'LIVE']),
  api_url: model.text(),
  api_key: model.text(),
  sealed_secret: model.text(),
  /** Of the endpoint that sends webhooks to the shop. */
  sealed_webhook_secret: model.text().nullable(),
  report_when: model.enum(['CAPTURED', 'PLACED']).default('CAPTURED'),
  /** Orders from before it are not reported. */
  reports_since: model.dateTime(),
});
