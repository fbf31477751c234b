import Joi from 'joi';
import type { Logo } from '../../domain/branding.ts';
import { ServiceError } from '../../domain/errors.ts';
import { saveLogo } from '../../models/identity/logos.ts';
import { findPartner } from '../../models/identity/partners.ts';
import type { AuditDeps } from '../deps.ts';
import { idField } from '../fields.ts';
import { operation } from '../operation.ts';
import { PictureError, readPicture } from './read-picture.ts';

/** Sets the logo that a partner's customers see. */
export const setLogo = operation({
  name: 'branding.set-logo',
  permission: { operator: null, user: 'partner.update' },
  secondFactor: 'NEVER',
  input: Joi.object<{ partnerId: string; picture: Buffer }>({
    partnerId: idField,
    picture: Joi.binary().required(),
  }),
  approval: 'NONE',
  find: ({ models }, { partnerId }) => findPartner(models, partnerId),
  audit: ({ partnerId, picture }) => ({
    targetId: partnerId,
    partnerId,
    details: { bytes: picture.length },
  }),

  /** @throws ServiceError VALIDATION_FAILED with the problem of the picture */
  async run({ models, now }: AuditDeps, { picture }, { found }): Promise<Logo> {
    try {
      return await saveLogo(models, found, await readPicture(picture), new Date(now()));
    } catch (error) {
      if (!(error instanceof PictureError)) throw error;
      throw new ServiceError('VALIDATION_FAILED', error.message);
    }
  },

  completion: (logo) => ({ details: { ...logo } }),
});
