import { z } from '@medusajs/framework/zod';

export const applyPointsSchema = z
  .object({
    /** As Medusa has amounts; by default as much as the customer has and the cart costs. */
    amount: z.number().positive().optional(),
  })
  .strict();

export type ApplyPoints = z.infer<typeof applyPointsSchema>;
