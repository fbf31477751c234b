import { z } from '@medusajs/framework/zod';

export const pointsOfVariantSchema = z
  .object({
    region_id: z.string().min(1),
    /** Where tax is among the prices, that of this country is taken off; by default the first one of the region. */
    country_code: z.string().length(2).optional(),
  })
  .strict();

export type PointsOfVariantParams = z.infer<typeof pointsOfVariantSchema>;
