import type { IncomingMessage } from 'node:http';
import { finished, type Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { ServiceError } from '../../domain/errors.ts';
import type { PortalMiddleware } from '../context.ts';
import { say } from '../words/say.ts';
import { takeFields } from './form.ts';

/** Of a form with a file; how long the file may be, says whoever reads it. */
const limits = {
  fields: 20,
  files: 1,
  parts: 21,
  fieldSize: 1_024,
  headerPairs: 20,
  headerSize: 4_096,
};
/** Of what comes before the file: the fields, and whatever else somebody sends in its place. */
const maxBytesBeforeFile = 256 * 1024;
/** Of what is still on its way when a form is refused, so much is taken and thrown away. */
const maxDiscardedBytes = 100 * 1024 * 1024;

/**
 * Reads a form with a file as far as the file, and lets it pass only where it carries the token that
 * this visitor's forms have. The file goes to whoever handles the form, and arrives no faster than it
 * is read; what follows it is not looked at.
 */
export const upload: PortalMiddleware = async (ctx, next) => {
  if (ctx.request.type !== 'multipart/form-data') {
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', say('error.notAFile'));
  }
  const { req } = ctx;
  const form = openForm(req);
  try {
    const { fields, file } = await readToFile(req, form);
    takeFields(ctx, fields);
    if (file) ctx.state.file = file;
    await next();
  } finally {
    req.unpipe(form);
    discard(req);
  }
};

function openForm({ headers }: IncomingMessage): BusboyInstance {
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': headers['content-type'] ?? '' },
      limits,
    });
  } catch {
    throw brokenForm();
  }
}

/** The fields that come before the file, and the file, of which nothing was read. */
function readToFile(
  req: IncomingMessage,
  form: BusboyInstance,
): Promise<{ fields: URLSearchParams; file: Readable | null }> {
  return new Promise((resolve, reject) => {
    const fields = new URLSearchParams();
    let file: Readable | null = null;
    const fail = () => {
      reject(brokenForm());
      file?.destroy(brokenForm());
    };
    form.on('field', (name, value, _, isCut) => {
      if (isCut || name === undefined) fail();
      else fields.append(name, value);
    });
    form.on('file', (_, stream, name) => {
      // Whoever stopped reading need not hear that the rest broke off.
      stream.on('error', () => undefined);
      // Where nothing was chosen, a browser sends a file without a name.
      if (name === '') return void stream.resume();
      file = stream;
      resolve({ fields, file });
    });
    for (const limit of ['fieldsLimit', 'partsLimit', 'filesLimit'] as const) form.on(limit, fail);
    form.on('error', fail);
    form.on('finish', () => resolve({ fields, file: null }));
    finished(req, { writable: false }, (error) => error && fail());
    let left = maxBytesBeforeFile;
    req.on('data', (chunk: Buffer) => {
      left -= chunk.length;
      if (left < 0 && file === null) fail();
    });
    req.pipe(form);
  });
}

/**
 * Lets the rest arrive, since a browser shows no answer before it has sent everything; one that sends
 * without end is cut off.
 */
function discard(req: IncomingMessage): void {
  let left = maxDiscardedBytes;
  req.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) req.destroy();
  });
  req.resume();
}

function brokenForm(): ServiceError {
  return new ServiceError('VALIDATION_FAILED', say('error.incomplete'));
}
