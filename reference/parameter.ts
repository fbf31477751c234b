import type { Parameter } from './openapi.ts';
import { type Schema, text } from './shapes.ts';

type Describe = (name: string, description?: string, schema?: Schema) => Parameter;

const parameter =
  (where: Pick<Parameter, 'in' | 'required'>): Describe =>
  (name, description, schema = text()) => ({
    name,
    ...where,
    ...(description !== undefined && { description }),
    schema,
  });

/** A part of the path. */
export const inPath = parameter({ in: 'path', required: true });
/** A part of the query string, which can be missing. */
export const inQuery = parameter({ in: 'query' });
export const inHeader = parameter({ in: 'header', required: true });
