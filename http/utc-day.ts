import Joi from 'joi';
import { dayStartMs } from '../domain/utc-days.ts';

/** A UTC day, `yyyy-mm-dd`, in a query or a form. */
export const utcDay = Joi.string()
  .custom((text: string) => {
    dayStartMs(text);
    return text;
  })
  .messages({ 'any.custom': '{{#label}} must be a day of the form yyyy-mm-dd' });
