import test from 'ava';
import { signRequest } from '../../clients/typescript/sign-request.ts';
import { signWebhook } from '../../clients/typescript/webhook.ts';
import { operationsIn } from '../../http/partner-reference.ts';
import { referencePage } from '../../http/reference-page.ts';
import { referenceDocument } from '../../reference/document.ts';
import type { Header, OperationObject, Parameter } from '../../reference/openapi.ts';
import type { Schema } from '../../reference/shapes.ts';

const reference = referenceDocument();

/** What partners, their programs and their customers send and receive. */
const operations = [
  ...operationsIn(reference.paths).filter(({ path }) => !path.startsWith('/admin/')),
  ...operationsIn(reference.webhooks),
];

type Part = Schema & { oneOf?: Schema[]; title?: string };

const targetOf = <T>($ref: string): T =>
  $ref
    .split('/')
    .slice(1)
    .reduce((at: unknown, name) => (at as Record<string, unknown>)[name], reference) as T;

const resolved = <T extends object>(node: T | { $ref: string }): T =>
  '$ref' in node ? targetOf<T>(node.$ref) : node;

/** A schema, what it refers to and what it combines, in the order in which a description is looked for. */
function partsOf(schema: Part): Part[] {
  const { $ref, allOf = [], anyOf = [] } = schema;
  const target = $ref === undefined ? [] : partsOf(targetOf<Part>($ref));
  return [schema, ...target, ...[...allOf, ...anyOf].flatMap(partsOf)];
}

const units: [name: RegExp, unit: RegExp][] = [
  [/Cents$/, /minor units/],
  [/Micros/, /millionths/],
  [/Days$/, /days/i],
  [/minutes$/, /minutes/],
];

/** What the description of a field or parameter lacks. @param nodes all that say something about it */
function problemsOf(name: string, nodes: readonly Part[]): string[] {
  const parts = nodes.flatMap(partsOf);
  const find = <K extends keyof Part>(key: K) =>
    parts.find((part) => part[key] !== undefined)?.[key];
  const description = find('description') ?? '';
  const type = [find('type')].flat()[0];
  const values = find('enum') ?? [];
  const isFixed = find('const') !== undefined || values.length > 0 || type === 'boolean';
  const isPlain = type === 'string' || type === 'integer' || type === 'number';
  const unit = units.find(([ofName]) => ofName.test(name))?.[1];
  return [
    description === '' ? 'has no description' : '',
    ...(values.length === 1 ? [] : values)
      .filter((value) => value !== null && !description.includes(`\`${value}\``))
      .map((value) => `does not describe the value ${value}`),
    isPlain && !isFixed && find('example') === undefined ? 'has no example' : '',
    unit && !unit.test(description) ? 'does not name its unit' : '',
    find('format') === 'date-time' && !description.includes('ISO 8601')
      ? 'does not name ISO 8601'
      : '',
  ].filter(Boolean);
}

/** The problems of all fields of a schema, each with its path. */
function problemsWithin(path: string, nodes: readonly Part[]): string[] {
  const parts = nodes.flatMap(partsOf);
  const fields = Map.groupBy(
    parts.flatMap(({ properties = {} }) => Object.entries(properties)),
    ([name]) => name,
  );
  const items = parts.flatMap((part) => part.items ?? []);
  const ofItems = items.length === 0 ? [] : problemsWithin(`${path}[]`, items);
  const ofValues = items.some((item) => partsOf(item).some((part) => part.enum))
    ? problemsOf('', items).map((problem) => `${path}[] ${problem}`)
    : [];
  return [
    ...ofItems,
    ...ofValues,
    ...[...fields].flatMap(([name, found]) => {
      const own = found.map(([, node]) => node);
      const at = `${path}.${name}`;
      return [
        ...problemsOf(name, own).map((problem) => `${at} ${problem}`),
        ...problemsWithin(at, own),
      ];
    }),
  ];
}

function problemsOfBodies({ operationId, requestBody, responses }: OperationObject): string[] {
  const contents = [requestBody, ...Object.values(responses).map(resolved)].flatMap((body) =>
    Object.values((body as { content?: object } | undefined)?.content ?? {}),
  ) as { schema: Part }[];
  return contents.flatMap(({ schema }) => problemsWithin(operationId, [schema]));
}

test('each field that partners send or receive is described, with its unit, values and an example', (t) => {
  t.deepEqual([...new Set(operations.flatMap(problemsOfBodies))], []);
});

test('each field that operators send or receive is described, with its values', (t) => {
  const problems = operationsIn(reference.paths)
    .filter(({ path }) => path.startsWith('/admin/'))
    .flatMap((operation) => problemsOfBodies(operation))
    .filter((problem) => /has no description|does not describe/.test(problem));
  t.deepEqual([...new Set(problems)], []);
});

test('each parameter and header that partners send or receive is described', (t) => {
  const problems = operations.flatMap(({ operationId, parameters = [], responses }) => {
    const headers = Object.values(responses).flatMap((response) =>
      Object.entries((resolved(response) as { headers?: Record<string, Header> }).headers ?? {}),
    );
    const named = [
      ...parameters.map((one) => resolved<Parameter>(one)).map((one) => [one.name, one] as const),
      ...headers.map(([name, one]) => [name, resolved<Header>(one)] as const),
    ];
    return named.flatMap(([name, { schema, description, example }]) =>
      problemsOf(name, [{ ...(description && { description }), example }, schema]).map(
        (problem) => `${operationId} ${name} ${problem}`,
      ),
    );
  });
  t.deepEqual([...new Set(problems)], []);
});

test('each operation is described, and a signed one names its scope', (t) => {
  for (const { operationId, summary, description = '', security } of operations) {
    t.true(summary.length > 0 && description.length > 0, operationId);
    const isSigned = security.some((one) => 'signature' in one);
    t.is(
      /Requires the\s+scope\s+`[a-z]+:[a-z]+`/.test(description),
      isSigned || /`(?:log|rewards):read`/.test(description),
      operationId,
    );
  }
});

test('every link of the reference leads to a part of its page', (t) => {
  const html = String(referencePage({ apiUrl: '/', portalUrl: '/', brand: 'Partner' }, () => '')());
  const ids = new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id));
  const links = [...JSON.stringify(reference).matchAll(/\[[\w .]+\]\(([^)\s]+)\)/g)].map(
    ([, to = '']) => to,
  );
  t.true(links.length > 5);
  for (const to of links) t.true(to.startsWith('#') && ids.has(to.slice(1)), to);
});

test('the examples of signatures in the reference are right', async (t) => {
  const { description } = reference.info;
  const one = (pattern: RegExp): string => pattern.exec(description)?.[1] ?? '';
  const signed = await signRequest({
    method: 'GET',
    pathname: '/api/v1/partner/plans',
    body: '',
    key: 'pk',
    secret: one(/With the secret `(\w+)`, used as text/),
    nowSeconds: Number(one(/`\/api\/v1\/partner\/plans` at `(\d+)`/)),
  });
  t.is(signed['X-Partner-Signature'], one(/sends `(sha256=\w{64})`/));
  const headers = await signWebhook(one(/and the body `([^`]+)`/), {
    id: one(/`webhook-id: (\w+)`/),
    secret: one(/With the secret `(whsec_[\w+/=]+)`/),
    atSeconds: Number(one(/`webhook-timestamp: (\d+)`/)),
  });
  t.is(headers['webhook-signature'], one(/signature is\s+`(v1,[\w+/=]+)`/));
});
