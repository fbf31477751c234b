import Joi from 'joi';
import { removeLogo as remove } from '../../models/identity/logos.ts';
import { findPartner } from '../../models/identity/partners.ts';
import type { AuditDeps } from '../deps.ts';
import { idField } from '../fields.ts';
import { operation } from '../operation.ts';

/** Removes a partner's logo; its customers see its name instead. */
export const removeLogo = operation({
  name: 'branding.remove-logo',
  permission: { operator: null, user: 'partner.update' },
  secondFactor: 'NEVER',
  input: Joi.object<{ partnerId: string }>({ partnerId: idField }),
  approval: 'NONE',
  find: ({ models }, { partnerId }) => findPartner(models, partnerId),
  audit: ({ partnerId }, { branding }) => ({
    targetId: partnerId,
    partnerId,
    details: { hash: branding?.logo?.hash ?? null },
  }),
  run: async ({ models }: AuditDeps, _input, { found }): Promise<void> => {
    await remove(models, found);
  },
});
