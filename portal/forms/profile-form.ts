import type Joi from 'joi';
import {
  billingAddressField,
  countryField,
  timeZoneField,
  websiteField,
} from '../../operations/profile-fields.ts';
import { tooLong } from './default-messages.ts';
import { currencyField, emailField, nameField } from './fields.ts';

const upper = (field: Joi.StringSchema) => field.trim().uppercase();

/** The profile fields that both operators and a partner's owners can edit. */
export const profileForm = {
  name: nameField.required(),
  legalName: nameField.max(200).messages({ 'string.max': tooLong }).default(null),
  billingAddress: billingAddressField.default(null).messages({
    'string.max': tooLong,
    'address.lines': 'Enter at most 8 lines.',
  }),
  taxId: nameField.max(50).messages({ 'string.max': tooLong }).default(null),
  country: upper(countryField).messages({
    'any.custom': 'Choose a country.',
    'any.required': 'Choose a country.',
  }),
  timeZone: timeZoneField.default(null).messages({ 'any.only': 'Choose a time zone.' }),
  currency: currencyField.messages({ 'any.required': 'Enter a currency.' }),
  contactEmail: emailField.default(null),
  supportEmail: emailField.default(null),
  website: websiteField.default(null).messages({
    'string.uriCustomScheme': 'Enter an address that begins with https:// or http://.',
  }),
};
