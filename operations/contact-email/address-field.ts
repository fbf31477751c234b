import Joi from 'joi';
import { type ProvableAddress, provenAs } from '../../domain/partner-contact.ts';

/** The address of the profile to verify. */
export const addressField = Joi.string<ProvableAddress>()
  .valid(...Object.keys(provenAs))
  .required();
