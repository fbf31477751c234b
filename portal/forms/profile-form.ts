import Joi from 'joi';
import {
  billingAddressField,
  countryField,
  websiteField,
} from '../../operations/profile-fields.ts';
import { emailField, nameField } from './fields.ts';

const upper = (field: Joi.StringSchema) => field.trim().uppercase();

/** The profile fields that both operators and a partner's owners can edit. */
export const profileForm = {
  name: nameField.required(),
  legalName: nameField.max(200).messages({ 'string.max': 'field.tooLong' }).default(null),
  billingAddress: billingAddressField.default(null).messages({
    'string.max': 'field.tooLong',
    'address.lines': 'field.eightLines',
  }),
  taxId: nameField.max(50).messages({ 'string.max': 'field.tooLong' }).default(null),
  country: upper(countryField).messages({
    'any.custom': 'field.chooseCountry',
    'any.required': 'field.chooseCountry',
  }),
  currency: upper(Joi.string().pattern(/^[A-Za-z]{3}$/)).messages({
    'string.pattern.base': 'field.currencyCode',
    'any.required': 'field.enterCurrency',
  }),
  contactEmail: emailField.default(null),
  supportEmail: emailField.default(null),
  website: websiteField.default(null).messages({ 'string.uriCustomScheme': 'field.url' }),
};
