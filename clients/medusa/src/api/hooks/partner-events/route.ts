import type { MedusaRequest, MedusaResponse } from '@medusajs/framework/http';
import { MedusaError, Modules } from '@medusajs/framework/utils';
import { type WebhookEvent, WebhookVerificationError } from 'partner-events';
import { partnerEventsModule } from '../../../modules/partner-events';
import type { PartnerEventsService } from '../../../modules/partner-events/service';

/** Takes the service's webhooks: what happened to a reward is noted, and the shop's subscribers get `partner_events.<type>`. */
export async function POST(req: MedusaRequest, res: MedusaResponse) {
  const service: PartnerEventsService = req.scope.resolve(partnerEventsModule);
  const event = await verified(service, req);
  const settings = await service.settings();
  if (event.mode === settings?.mode && !('isExample' in event.data)) {
    await note(service, req, event);
    await req.scope
      .resolve(Modules.EVENT_BUS)
      .emit({ name: `partner_events.${event.type}`, data: event });
  }
  res.json({ received: true });
}

async function verified(service: PartnerEventsService, { rawBody, headers }: MedusaRequest) {
  try {
    return await service.verifiedEvent(rawBody, headers);
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    throw new MedusaError(MedusaError.Types.INVALID_DATA, `${error.code}: ${error.message}`);
  }
}

async function note(
  service: PartnerEventsService,
  { scope }: MedusaRequest,
  { mode, sequence, data }: WebhookEvent,
): Promise<void> {
  if (sequence === null || !('customerStatus' in data)) return;
  const { externalOrderId, points, customerStatus } = data;
  await scope
    .resolve(Modules.LOCKING)
    .execute(`partner-events:webhook:${externalOrderId}`, () =>
      service.noteReward(externalOrderId, { mode, sequence }, { points, customerStatus }),
    );
}
