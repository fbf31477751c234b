import { z } from '@medusajs/framework/zod';

export const settingsSchema = z
  .object({
    is_enabled: z.boolean(),
    mode: z.enum(['TEST', 'LIVE']),
    api_url: z.url({ protocol: /^https?$/ }),
    api_key: z.string().min(1),
    /** When an order earns. */
    report_when: z.enum(['CAPTURED', 'PLACED']).default('CAPTURED'),
    /** Without one, the stored one stays. */
    secret: z.string().min(1).optional(),
    /** Of the webhook endpoint; without one, the stored one stays. */
    webhook_secret: z
      .string()
      .regex(/^whsec_[A-Za-z0-9+/=_-]+$/)
      .optional(),
  })
  .strict();

export type SettingsBody = z.infer<typeof settingsSchema>;
