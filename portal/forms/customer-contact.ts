import Joi from 'joi';

/** A form that finds a customer: it is sent, so that nobody's address stands in a URL. */
export const contactSchema = Joi.object<{ contact: string }>({
  contact: Joi.string().trim().max(255).required().messages({
    'any.required': 'field.enterEmailAddressPhone',
  }),
});

/** What somebody typed, as an email address or as a phone number. */
export const knownBy = (contact: string) =>
  contact.includes('@') ? { email: contact } : { phone: contact };
