import { stringify } from 'yaml';
import { type ErrorDescription, otherErrors, partnerErrors } from '../domain/error-codes.ts';
import { referenceDocument } from '../reference/document.ts';
import { errorCodeSchema } from '../reference/errors.ts';
import {
  methods,
  type OperationObject,
  type Operations,
  type Ref,
  type Reference,
} from '../reference/openapi.ts';

/** What differs between installations. */
export interface Installation {
  /** The base URL of the API for partners. */
  apiUrl: string;
  portalUrl: string;
  /** The word in the names of the signature's headers. */
  brand: string;
}

const isForPartners =
  /^\/(?:(?:api\/v1\/partner|\.well-known)\/|(?:events|rewards)$|webhooks\/endpoints)/;
const intro =
  'Your back end reports purchases and refunds, and reads rewards, orders, usage and billing, in signed requests under `/api/v1/partner`. Your endpoints receive webhooks.\n';

/**
 * The partners' part of the OpenAPI document: the paths under `/api/v1/partner`, the public keys, what their programs read
 * from the portal, the webhooks, the components that they refer to, and of the error codes those that these paths return.
 */
export function partnersReference({ apiUrl, portalUrl, brand }: Installation): Reference {
  const text = JSON.stringify(referenceDocument()).replaceAll('X-Partner-', `X-${brand}-`);
  const whole: Reference = JSON.parse(text);
  const { info, tags, webhooks } = whole;
  const paths = Object.fromEntries(
    Object.entries(whole.paths)
      .filter(([path]) => isForPartners.test(path))
      .map(([path, item]) => [
        path,
        item.servers === undefined ? item : { ...item, servers: [{ url: portalUrl }] },
      ]),
  );
  const operations = [...operationsIn(paths), ...operationsIn(webhooks)];
  const usedTags = new Set(operations.flatMap((one) => one.tags));
  // The first paragraph is about the operators' API, too.
  const description = intro + info.description.slice(info.description.indexOf('\n## '));
  return {
    ...whole,
    info: { ...info, description },
    servers: [{ url: apiUrl }],
    tags: tags.filter(({ name }) => usedTags.has(name)),
    paths,
    components: withPartnersCodes(componentsOf(whole, operations)),
  };
}

/** An operation of the reference, and where it is sent. */
export interface ReferenceOperation extends OperationObject {
  /** In upper case. */
  method: string;
  /** With the server, if that is another one than the document's. */
  path: string;
}

export const operationsIn = (operations: Operations): ReferenceOperation[] =>
  Object.entries(operations).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method];
      const server = item.servers?.[0]?.url ?? '';
      if (operation === undefined) return [];
      return { ...operation, method: method.toUpperCase(), path: `${server}${path}` };
    }),
  );

/** The partners' part as YAML. */
export function partnersPart(installation: Installation): string {
  return stringify(partnersReference(installation), {
    aliasDuplicateObjects: false,
    blockQuote: 'literal',
  });
}

/** What `$ref` names, with the fields that stand next to it. */
export function resolve<T extends object>({ components }: Reference, described: T | Ref): T {
  if (!('$ref' in described)) return described;
  const { $ref, ...own } = described as Ref;
  const [section = '', name = ''] = $ref.split('/').slice(2);
  return { ...components[section]?.[name], ...own } as T;
}

/** The components that operations refer to, directly or through others, in the order of the document. */
function componentsOf(
  { components }: Reference,
  operations: readonly OperationObject[],
): Reference['components'] {
  const schemes = operations.flatMap(({ security }) => security.flatMap(Object.keys));
  const used = new Set(schemes.map((name) => `securitySchemes/${name}`));
  const addFrom = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const ref = '$ref' in node ? String(node.$ref).replace('#/components/', '') : undefined;
    if (ref !== undefined && !used.has(ref)) {
      used.add(ref);
      const [section = '', name = ''] = ref.split('/');
      addFrom(components[section]?.[name]);
    }
    for (const child of Object.values(node)) addFrom(child);
  };
  addFrom(operations);
  const sections = Object.entries(components).map(([section, entries]) => {
    const kept = Object.entries(entries).filter(([name]) => used.has(`${section}/${name}`));
    return [section, Object.fromEntries(kept)];
  });
  return Object.fromEntries(sections);
}

/** Without the codes that only the operators' API, the claim page and the portal return. */
const withPartnersCodes = (components: Reference['components']): Reference['components'] => ({
  ...components,
  schemas: { ...components.schemas, ErrorCode: errorCodeSchema(errorsOfPartners) },
});

/** Those of the partner API, and of what partners' programs read. */
export const errorsOfPartners: Record<string, ErrorDescription> = {
  ...partnerErrors,
  INVALID_ACCESS_TOKEN: otherErrors.INVALID_ACCESS_TOKEN,
  FORBIDDEN: otherErrors.FORBIDDEN,
  CONFLICT: otherErrors.CONFLICT,
};
