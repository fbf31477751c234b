import type { Schema } from './shapes.ts';

/** What the reference uses of OpenAPI 3.1. */

export interface Ref {
  $ref: string;
}

export interface Body {
  schema: Schema;
  example?: unknown;
}

/** By media type. */
export type Content = Readonly<Record<string, Body>>;

export interface Header {
  description: string;
  required?: boolean;
  schema: Schema;
  example?: unknown;
}

/** A parameter or a header. */
export interface Parameter {
  name: string;
  in: string;
  description?: string;
  required?: boolean;
  example?: unknown;
  schema: Schema;
}

export interface OperationResponse {
  description: string;
  /** The error codes that it can have. */
  'x-codes'?: readonly string[];
  headers?: Readonly<Record<string, Header | Ref>>;
  content?: Content;
  links?: Readonly<Record<string, object>>;
}

export interface OperationObject {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security: readonly Readonly<Record<string, readonly string[]>>[];
  parameters?: readonly (Parameter | Ref)[];
  requestBody?: { required: true; content: Content };
  responses: Readonly<Record<string, OperationResponse | Ref>>;
}

export const methods = ['get', 'post', 'patch', 'delete'] as const;
export type Method = (typeof methods)[number];

/** The operations of a path or a webhook, and where they are if that is elsewhere. */
export type PathItem = Partial<Record<Method, OperationObject>> & {
  servers?: { url: string; description?: string }[];
};

/** By their path, or webhooks by their event. */
export type Operations = Record<string, PathItem>;

/** An OpenAPI document. */
export interface Reference {
  openapi: string;
  info: { title: string; version: string; description: string };
  servers: { url: string; description?: string }[];
  tags: { name: string; description: string }[];
  paths: Operations;
  webhooks: Operations;
  components: Record<string, Record<string, object>>;
}
