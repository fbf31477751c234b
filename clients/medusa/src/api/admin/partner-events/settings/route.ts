import type { MedusaRequest, MedusaResponse } from '@medusajs/framework/http';
import { partnerEventsModule } from '../../../../modules/partner-events';
import type { PartnerEventsService, Settings } from '../../../../modules/partner-events/service';
import { giveBackAbandoned } from '../../../../workflows/give-back-abandoned';
import type { SettingsBody } from './schema';

export async function GET(req: MedusaRequest, res: MedusaResponse) {
  const service: PartnerEventsService = req.scope.resolve(partnerEventsModule);
  res.json({ settings: shown(await service.settings()) });
}

export async function POST(req: MedusaRequest<SettingsBody>, res: MedusaResponse) {
  const service: PartnerEventsService = req.scope.resolve(partnerEventsModule);
  const before = req.validatedBody.is_enabled ? null : await service.connection();
  // Nobody would pay what carts show as paid with points.
  if (before) await giveBackAbandoned(req.scope, before, { isLast: true });
  res.json({ settings: shown(await service.saveSettings(req.validatedBody)) });
}

/** The secrets are never shown again. */
const shown = (settings: Settings | null) =>
  settings && {
    is_enabled: settings.isEnabled,
    mode: settings.mode,
    api_url: settings.apiUrl,
    api_key: settings.apiKey,
    report_when: settings.reportWhen,
    reports_since: settings.reportsSince,
    has_webhook_secret: settings.hasWebhookSecret,
  };
