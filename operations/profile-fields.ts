import Joi from 'joi';
import { isSupportedCountry } from 'libphonenumber-js';

/** What a partner's profile takes, whoever fills it in: an operator through the API, or the partner. */

export const websiteField = Joi.string()
  .trim()
  .uri({ scheme: ['https', 'http'] })
  .max(255);

export const countryField = Joi.string()
  .custom((text: string) => {
    if (!isSupportedCountry(text)) throw new Error('unknown');
    return text;
  })
  .messages({ 'any.custom': 'country must be an ISO 3166-1 alpha-2 code, such as US' });
