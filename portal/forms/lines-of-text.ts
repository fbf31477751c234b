import Joi from 'joi';
import { tooLong } from './default-messages.ts';

/**
 * Text of several lines. Browsers send every line end as CR LF; it becomes LF again, since that is what
 * gets signed.
 * @param maxLength in characters, before the conversion
 */
export function linesOfText(maxLength: number): Joi.StringSchema {
  return Joi.string()
    .max(maxLength)
    .custom((text: string) => text.replaceAll('\r\n', '\n'))
    .messages({ 'string.max': tooLong });
}
