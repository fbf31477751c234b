import Joi from 'joi';
import { idField } from '../fields.ts';

/** Identifies a service account; another partner's is not found. */
export const serviceAccountKey = Joi.object<{ partnerId: string; serviceAccountId: string }>({
  partnerId: idField,
  serviceAccountId: idField,
});
