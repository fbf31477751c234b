import Joi from 'joi';
import { isSupportedCountry } from 'libphonenumber-js';
import { timeZones } from '../domain/time-zones.ts';
import { longText } from './fields.ts';

/** The fields of a partner's profile, for operators through the API and for partners. */

export const websiteField = Joi.string()
  .trim()
  .uri({ scheme: ['https', 'http'] })
  .max(255);

/** More lines than any address has, and as many as fit on an invoice. */
const maxAddressLines = 8;

export const billingAddressField = longText(500)
  .custom((text: string, { error }) => {
    const lines = text.split(/\r\n|\r|\n/).map((line) => line.trim());
    const filled = lines.filter((line) => line !== '');
    return filled.length > maxAddressLines ? error('address.lines') : filled.join('\n');
  })
  .messages({ 'address.lines': `{{#label}} must have at most ${maxAddressLines} lines` });

export const countryField = Joi.string()
  .custom((text: string) => {
    if (!isSupportedCountry(text)) throw new Error('unknown');
    return text;
  })
  .messages({ 'any.custom': 'country must be an ISO 3166-1 alpha-2 code, such as US' });

export const timeZoneField = Joi.string()
  .valid(...timeZones)
  .messages({ 'any.only': 'timeZone must be an IANA time zone, such as Europe/Berlin' });
