import type { IncomingMessage } from 'node:http';
import { finished, type Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { ServiceError } from '../../domain/errors.ts';
import type { PortalMiddleware } from '../context.ts';
import { incompleteForm, takeFields } from './form.ts';

/** Limits of a form with a file. The handler limits the length of the file. */
const limits = {
  fields: 20,
  files: 1,
  parts: 21,
  fieldSize: 1_024,
  headerPairs: 20,
  headerSize: 4_096,
};
/** Limit of the bytes before the file, whatever they contain. */
const maxBytesBeforeFile = 256 * 1024;
/** How many more bytes of a refused form are read and discarded. */
const maxDiscardedBytes = 100 * 1024 * 1024;

/**
 * Reads a form up to its file and requires this visitor's CSRF token. The form's handler gets the file as a
 * stream, with backpressure; anything after the file is ignored.
 */
export const upload: PortalMiddleware = async (ctx, next) => {
  if (ctx.request.type !== 'multipart/form-data') {
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', 'This page accepts only a form with a file.');
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
    throw incompleteForm();
  }
}

/** The fields before the file, and the file as an unread stream. */
function readToFile(
  req: IncomingMessage,
  form: BusboyInstance,
): Promise<{ fields: URLSearchParams; file: Readable | null }> {
  return new Promise((resolve, reject) => {
    const fields = new URLSearchParams();
    let file: Readable | null = null;
    const fail = () => {
      reject(incompleteForm());
      file?.destroy(incompleteForm());
    };
    form.on('field', (name, value, _, isCut) => {
      if (isCut || name === undefined) fail();
      else fields.append(name, value);
    });
    form.on('file', (_, stream, name) => {
      // A handler that stopped reading does not need the error of an aborted upload.
      stream.on('error', () => undefined);
      // If no file was selected, browsers send one without a name.
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
 * Reads and discards the rest, since browsers show no response before they have sent everything; an endless
 * upload is cut off.
 */
function discard(req: IncomingMessage): void {
  let left = maxDiscardedBytes;
  req.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) req.destroy();
  });
  req.resume();
}
