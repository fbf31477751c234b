import Joi from 'joi';

/** The form that finds a customer. It is a POST, so that no URL contains a contact. */
export const contactSchema = Joi.object<{ contact: string }>({
  contact: Joi.string().trim().max(255).required().messages({
    'any.required': 'Enter an email address or a phone number.',
  }),
});

/** The entered text as an email address or a phone number. */
export const contactOfText = (contact: string) =>
  contact.includes('@') ? { email: contact } : { phone: contact };
