import type { MedusaRequest, MedusaResponse } from '@medusajs/framework/http';
import { partnerEventsModule } from '../../../../../modules/partner-events';
import type { PartnerEventsService } from '../../../../../modules/partner-events/service';
import { minorUnits } from '../../../../../order-state';
import { digitsOf } from '../../../../../workflows/currency';
import { priceOf } from '../../../../../workflows/price';
import type { PointsOfVariantParams } from './schema';

/** What one piece would earn in a region; null where that is not known. */
export async function GET(req: MedusaRequest<unknown, PointsOfVariantParams>, res: MedusaResponse) {
  const service: PartnerEventsService = req.scope.resolve(partnerEventsModule);
  const { region_id, country_code } = req.validatedQuery;
  const { amount, currency } = await priceOf(req.scope, {
    variantId: req.params.id ?? '',
    regionId: region_id,
    countryCode: country_code,
  });
  const digits = await digitsOf(req.scope, currency);
  res.json({ points: { to_earn: await service.toEarn(minorUnits(amount, digits), currency) } });
}
