import { readFileSync } from 'node:fs';
import { webhookExamples } from '../domain/webhooks.ts';
import * as account from './account.ts';
import * as billing from './billing.ts';
import * as checkout from './checkout.ts';
import * as claims from './claims.ts';
import * as credentials from './credentials.ts';
import * as earningRules from './earning-rules.ts';
import { ErrorBody, ErrorCode } from './errors.ts';
import * as events from './events.ts';
import { headers } from './headers.ts';
import * as health from './health.ts';
import * as money from './money.ts';
import type { Operations, Reference } from './openapi.ts';
import type { Section } from './operations.ts';
import * as operators from './operators.ts';
import * as parameters from './parameters.ts';
import * as partners from './partners.ts';
import * as privacy from './privacy.ts';
import * as programs from './programs.ts';
import * as rehearsals from './rehearsals.ts';
import * as responses from './responses.ts';
import * as reviews from './reviews.ts';
import { securitySchemes } from './security.ts';
import type { Schema } from './shapes.ts';
import * as shared from './shared.ts';
import * as webhooks from './webhooks.ts';

/** In the order of the page. */
const chapters = [
  events,
  checkout,
  rehearsals,
  account,
  claims,
  programs,
  health,
  partners,
  webhooks,
  credentials,
  earningRules,
  money,
  privacy,
  billing,
  reviews,
  operators,
];

const sections: readonly Section[] = chapters.flatMap((chapter) =>
  Object.values<object>(chapter).filter((one): one is Section => 'operations' in one),
);

/** What a module exports under a capital letter is a component. */
const componentsIn = (module: object): [name: string, component: object][] =>
  Object.entries(module).filter(([name]) => /^[A-Z]/.test(name));

const nameOfEvent = (type: string): string =>
  type.replaceAll(/(?:^|[._])(\w)/g, (_, first: string) => first.toUpperCase());

const bodyOf = ({ type, data }: webhooks.Event): Schema => ({
  allOf: [
    shared.WebhookEvent,
    { type: 'object', properties: { type: { type: 'string', enum: [type] }, data } },
  ],
});

const bodies = new Map(webhooks.webhookEvents.map((event) => [event, bodyOf(event)]));

const components: Record<string, Record<string, object>> = {
  securitySchemes,
  headers,
  parameters: Object.fromEntries(componentsIn(parameters)),
  responses: Object.fromEntries(componentsIn(responses)),
  schemas: {
    Error: ErrorBody,
    ErrorCode,
    ...Object.fromEntries([shared, ...chapters].flatMap(componentsIn)),
    ...Object.fromEntries(
      [...bodies].map(([{ type }, body]) => [`Event${nameOfEvent(type)}`, body]),
    ),
  },
};

const names = new Map(
  Object.entries(components).flatMap(([kind, all]) =>
    Object.entries(all).map(([name, one]) => [one, `#/components/${kind}/${name}`] as const),
  ),
);

/** Values, and not schemas, are within these. */
const literal = new Set(['example', 'enum', 'const', 'default', 'links', 'x-codes']);

/** With a reference instead of each component within it. */
function withRefs(node: unknown): unknown {
  if (typeof node !== 'object' || node === null) return node;
  const name = names.get(node);
  return name === undefined ? contentsOf(node) : { $ref: name };
}

function contentsOf(node: object): unknown {
  if (Array.isArray(node)) return node.map(withRefs);
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => {
      if (key === 'like') return ['$ref', names.get(value)];
      return [key, literal.has(key) ? value : withRefs(value)];
    }),
  );
}

const portal = [
  { url: 'http://127.0.0.1:3001', description: 'npm start; the portal (`PORTAL_URL`)' },
];
const isOfPortal = (path: string): boolean =>
  /^\/(?:claim|events|rewards|webhooks)(?:\/|$)/.test(path);

function pathsOf(): Operations {
  const paths: Operations = {};
  for (const { name, operations } of sections) {
    for (const { path, method, operation } of operations) {
      paths[path] ??= isOfPortal(path) ? { servers: portal } : {};
      paths[path][method] = { ...operation, tags: [name] };
    }
  }
  return paths;
}

const webhooksOf = (): Operations =>
  Object.fromEntries(
    [...bodies].map(([{ type, description, example }, schema]) => [
      type,
      {
        post: {
          operationId: `on${nameOfEvent(type)}`,
          tags: [webhooks.webhooks.name],
          summary: type,
          description,
          security: [],
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema,
                example: {
                  id: 'whk_01K7ZQ8Y5N3T6W9X2V4B8D1F7H',
                  type,
                  apiVersion: 'v1',
                  mode: example.mode,
                  createdAt: '2026-03-01T09:30:00.000Z',
                  sequence: example.sequence,
                  data: webhookExamples[type],
                },
              },
            },
          },
          responses: {
            '2XX': { description: 'You received it. Any other response is retried.' },
          },
        },
      },
    ]),
  );

/** The OpenAPI document of all interfaces: those of partners, their programs, their customers and operators. */
export function referenceDocument(): Reference {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Partner Events',
      version: '1.0.0',
      description: readFileSync(new URL('introduction.md', import.meta.url), 'utf8'),
    },
    servers: [{ url: 'http://127.0.0.1:3000', description: 'npm start' }],
    tags: sections.map(({ name, description }) => ({ name, description })),
    paths: withRefs(pathsOf()) as Operations,
    webhooks: withRefs(webhooksOf()) as Operations,
    components: Object.fromEntries(
      Object.entries(components).map(([kind, all]) => [
        kind,
        Object.fromEntries(Object.entries(all).map(([name, one]) => [name, contentsOf(one)])),
      ]),
    ) as Reference['components'],
  };
}
