import Joi from 'joi';

/**
 * Text of several lines. Browsers send every line end as CR LF, whatever was typed: a line feed it
 * becomes again, since what is signed has no other.
 * @param maxLength in characters, before that
 */
export function linesOfText(maxLength: number): Joi.StringSchema {
  return Joi.string()
    .max(maxLength)
    .custom((text: string) => text.replaceAll('\r\n', '\n'))
    .messages({ 'string.max': 'field.tooLong' });
}
