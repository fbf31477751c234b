import { ServiceError } from '../../domain/errors.ts';
import { parseJson } from '../../http/json.ts';
import { readBody } from '../../http/read-body.ts';
import type { PortalContext } from '../context.ts';

const maxBodyBytes = 64 * 1024;

/**
 * The JSON object that a program sent.
 * @throws ServiceError VALIDATION_FAILED if it is not JSON, or is too long; REQUEST_TIMEOUT
 */
export async function readJsonObject(ctx: PortalContext): Promise<object> {
  const bytes = await readBody(ctx, maxBodyBytes, {
    tooLarge: notAnObject,
    incomplete: notAnObject,
  });
  let parsed: unknown;
  try {
    parsed = parseJson(bytes);
  } catch {
    throw notAnObject();
  }
  if (typeof parsed === 'object' && parsed !== null) return parsed;
  throw notAnObject();
}

const notAnObject = () =>
  new ServiceError('VALIDATION_FAILED', `Send a JSON object of at most ${maxBodyBytes} bytes.`);
