import Joi from 'joi';
import { idField } from '../fields.ts';

/** What names a service account: one of another partner's is not found. */
export const serviceAccountKey = Joi.object<{ partnerId: string; serviceAccountId: string }>({
  partnerId: idField,
  serviceAccountId: idField,
});
