import Joi from 'joi';
import {
  billingAddressField,
  countryField,
  websiteField,
} from '../../operations/profile-fields.ts';
import { emailField, nameField } from './fields.ts';

const upper = (field: Joi.StringSchema) => field.trim().uppercase();

/** The fields of a partner's profile, as an operator or one of its owners fills them in. */
export const profileForm = {
  name: nameField.required(),
  legalName: nameField.max(200).messages({ 'string.max': 'At most 200 characters.' }).default(null),
  billingAddress: billingAddressField.default(null).messages({
    'string.max': 'At most 500 characters.',
    'address.lines': 'At most 8 lines.',
  }),
  taxId: nameField.max(50).messages({ 'string.max': 'At most 50 characters.' }).default(null),
  country: upper(countryField).messages({
    'any.custom': 'Choose a country.',
    'any.required': 'Choose a country.',
  }),
  currency: upper(Joi.string().pattern(/^[A-Za-z]{3}$/)).messages({
    'string.pattern.base': 'Three letters, such as USD.',
    'any.required': 'Enter a currency.',
  }),
  contactEmail: emailField.default(null),
  supportEmail: emailField.default(null),
  website: websiteField
    .default(null)
    .messages({ 'string.uriCustomScheme': 'An address that begins with https:// or http://.' }),
};
