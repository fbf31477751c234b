import Joi from 'joi';
import { type ProvableAddress, provenAs } from '../../domain/partner-contact.ts';

/** Which address of the profile is proven. */
export const addressField = Joi.string<ProvableAddress>()
  .valid(...Object.keys(provenAs))
  .required();
