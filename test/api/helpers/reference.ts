import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { referenceDocument } from '../../../reference/document.ts';
import type { Reply } from '../../helpers/partner-backend.ts';

interface Described {
  $ref?: string;
  required?: boolean;
  headers?: Record<string, Described>;
  content?: { 'application/json': { schema: object } };
  /** The error codes that the response can have. */
  'x-codes'?: string[];
  schema?: object;
}

export interface Operation {
  operationId: string;
  method: string;
  /** As the reference writes it: `/claim/{token}`. */
  path: string;
  requestBody?: Described;
  responses: Record<string, Described>;
}

export type Reference = ReturnType<typeof readReference>;

const methods = ['get', 'post', 'patch', 'delete'];

/** The schema, with references that a JSON Schema validator resolves. */
function asJsonSchema(schema: object): object {
  const text = JSON.stringify(schema).replaceAll('"#/components/schemas/', '"reference#/$defs/');
  return JSON.parse(text);
}

/** Reads the reference, to check responses against it. */
export function readReference() {
  // biome-ignore lint/suspicious/noExplicitAny: tests follow references to parts of any kind
  const document = referenceDocument() as any;
  const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, strictTypes: false });
  addFormats.default(ajv);
  ajv.addVocabulary(['example']);
  ajv.addSchema({ $id: 'reference', $defs: asJsonSchema(document.components.schemas) });
  const validators = new Map<object, ValidateFunction>();

  const operations = new Map<string, Operation>();
  for (const [path, item] of Object.entries<Record<string, Operation>>(document.paths)) {
    for (const method of methods) {
      const operation = item[method];
      if (operation) operations.set(operation.operationId, { ...operation, method, path });
    }
  }

  function operation(operationId: string): Operation {
    const found = operations.get(operationId);
    if (!found) throw new Error(`the reference has no ${operationId}`);
    return found;
  }

  function resolve(described: Described): Described {
    if (!described.$ref) return described;
    return described.$ref
      .split('/')
      .slice(1)
      .reduce((at, name) => at[name], document);
  }

  function validatorOf(schema: object): ValidateFunction {
    const known = validators.get(schema);
    if (known) return known;
    const made = ajv.compile(asJsonSchema(schema));
    validators.set(schema, made);
    return made;
  }

  function problemsOf(schema: object | undefined, value: unknown): string[] {
    if (!schema) return ['no schema is described'];
    const validate = validatorOf(schema);
    if (validate(value)) return [];
    return (validate.errors ?? []).map((one) => `${one.instancePath || 'it'} ${one.message}`);
  }

  return {
    document,
    operations,
    operation,
    resolve,
    validatorOf,

    /** The differences between a response and its description in the reference. */
    problemsOfResponse(operationId: string, { status, headers, body }: Reply): string[] {
      const described = operation(operationId).responses[status];
      if (!described) return [`status ${status} is not described`];
      const { headers: describedHeaders = {}, content, 'x-codes': codes } = resolve(described);
      const problems = problemsOf(content?.['application/json'].schema, body);
      if (codes && !codes.includes(body?.error?.code))
        problems.push(`the code is not one of ${codes}`);
      for (const [name, reference] of Object.entries(describedHeaders)) {
        const { required, schema } = resolve(reference);
        const value = headers.get(name);
        if (value === null && required) problems.push(`header ${name} is missing`);
        if (value !== null) {
          problems.push(...problemsOf(schema, value).map((text) => `header ${name}: ${text}`));
        }
      }
      return problems;
    },

    /** Whether the reference allows a request's body. */
    allows(operationId: string, body: unknown): boolean {
      const { requestBody } = operation(operationId);
      return problemsOf(requestBody?.content?.['application/json'].schema, body).length === 0;
    },
  };
}
