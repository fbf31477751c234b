import Joi from 'joi';
import { type Language, languages } from '../../domain/languages.ts';
import { findPartner } from '../../models/identity/partners.ts';
import type { AuditDeps } from '../deps.ts';
import { idField } from '../fields.ts';
import { operation } from '../operation.ts';

/** Chooses what a partner's customers see of it, in their messages and on the claim page. */
export const updateBranding = operation({
  name: 'branding.update',
  permission: { operator: null, user: 'partner.update' },
  secondFactor: 'NEVER',
  input: Joi.object<{ partnerId: string; language: Language }>({
    partnerId: idField,
    language: Joi.valid(...languages).required(),
  }),
  approval: 'NONE',
  find: ({ models }, { partnerId }) => findPartner(models, partnerId),
  audit: ({ partnerId, ...details }) => ({ targetId: partnerId, partnerId, details }),

  async run({ models }: AuditDeps, { partnerId: _id, ...branding }): Promise<void> {
    await models.partners.updateOne({ _id }, { $set: { branding } });
  },
});
