import { html } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import {
  type Answer,
  type Body,
  type Operation,
  type Parameter,
  partnersReference,
  type Reference,
  resolve,
  type Schema,
} from './partner-reference.ts';

type Html = HtmlEscapedString;

const markup = (strings: TemplateStringsArray, ...parts: unknown[]): Html =>
  html(strings, ...parts) as Html;

/** An operation of the reference, and where it is sent. */
interface Sent extends Operation {
  method: string;
  path: string;
}

/**
 * The partners' reference as HTML without scripts and inline styles: what holds for all requests, the
 * operations by tag, and the webhooks. Fragments are names of sections (`#signing`, `#webhooks`) and operations
 * (`#reportPurchase`).
 * @param apiUrl the base URL of the API for partners
 * @param besides what to show beside an operation's name
 */
export function referencePage(
  apiUrl: string,
  besides: (operationId: string) => Html | string,
): Html {
  const reference = partnersReference(apiUrl);
  const groups = reference.tags.map(({ name, description }) => {
    const isOf = ({ tags: [first] }: Sent) => first === name;
    return {
      name,
      description,
      sent: sentOf(reference.paths).filter(isOf),
      events: sentOf(reference.webhooks).filter(isOf),
    };
  });
  return markup`<div class="reference">
<div class="contents" role="navigation" aria-label="Contents"><ul>
${[...headingsOf(reference.info.description), 'Error codes'].map((name) => markup`<li><a href="#${idOf(name)}">${name}</a></li>`)}
</ul>${groups.map(
    ({ name, sent, events }) =>
      markup`<h2><a href="#${idOf(name)}">${name}</a></h2><ul>${[...sent, ...events].map(({ operationId, summary }) => markup`<li><a href="#${operationId}">${summary}</a></li>`)}</ul>`,
  )}</div>
<div>
<section class="card">${markdown(`${reference.info.description}\n\n## Error codes\n\n${codesOf(reference)}`)}</section>
${groups.map(
  ({ name, description, sent, events }) =>
    markup`<h2 class="tag" id="${idOf(name)}">${name}</h2><p>${description}</p>
${sent.map((one) => operationOf(reference, one, besides(one.operationId)))}
${events.length === 0 ? '' : [anyEvent(reference), ...events.map((one) => eventOf(reference, one))]}`,
)}</div></div>`;
}

function sentOf(operations: Reference['paths']): Sent[] {
  return Object.entries(operations).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) => ({
      ...one,
      method: method.toUpperCase(),
      path,
    })),
  );
}

function codesOf(reference: Reference): string {
  return resolve<Schema>(reference, { $ref: '#/components/schemas/ErrorCode' }).description ?? '';
}

function operationOf(reference: Reference, operation: Sent, besides: Html | string): Html {
  const { operationId, method, path, summary, description, requestBody } = operation;
  return markup`<article class="card" id="${operationId}">
<h3>${summary} ${besides}</h3>
<p><code class="sent">${method} ${path}</code></p>
${markdown(description)}
${parametersTable(reference, operation)}
${Object.entries(requestBody?.content ?? {}).map(([type, body]) => requestOf(reference, type, body))}
${answersOf(reference, operation)}</article>`;
}

/** The fields of every event. */
function anyEvent(reference: Reference): Html {
  const event = resolve<Schema>(reference, { $ref: '#/components/schemas/WebhookEvent' });
  return markup`<article class="card" id="webhook-event"><h3>Every event</h3>
<p>${inline(event.description ?? '')}</p>${tableOf(fieldRows(reference, event))}</article>`;
}

/** An event: what it has in `data`. */
function eventOf(
  reference: Reference,
  { operationId, summary, description, requestBody }: Sent,
): Html {
  const { schema = {}, example } = requestBody?.content['application/json'] ?? {};
  const { data = {} } = flat(reference, schema).properties ?? {};
  return markup`<article class="card" id="${operationId}"><h3>${summary}</h3>
${markdown(description)}${tableOf(fieldRows(reference, data, 'data.'))}${exampleOf(example)}</article>`;
}

function parametersTable(reference: Reference, { parameters = [] }: Operation): Html | string {
  if (parameters.length === 0) return '';
  const rows = parameters.map((one) => {
    const { name, schema, required, ...rest } = resolve<Parameter>(reference, one);
    const place = { header: 'header', path: 'part of the path' }[rest.in] ?? rest.in;
    return rowOf(
      reference,
      name,
      { ...schema, ...rest },
      `${place}, ${required ? 'required' : 'optional'}`,
    );
  });
  return markup`<h4>Parameters</h4>${tableOf(rows)}`;
}

/** JSON by its fields, anything else by its example. */
function requestOf(reference: Reference, type: string, body: Body): Html | string {
  if (type === 'application/json') return bodyOf(reference, 'Request', body);
  const title = `Request: ${type}`;
  return typeof body.example === 'string' ? markup`<h4>${title}</h4>${quoted(body.example)}` : '';
}

function bodyOf(reference: Reference, title: string, { schema = {} }: Partial<Body> = {}): Html {
  const example = sampleOf(reference, schema);
  return markup`<h4>${title}</h4>${tableOf(fieldRows(reference, schema))}${exampleOf(example)}`;
}

/** The example of a schema, or else one made of its fields' examples, first values and types. */
function sampleOf(reference: Reference, schema: Schema): unknown {
  const { properties = {}, items, ...field } = flat(reference, schema);
  const given = field.example ?? field.const ?? field.enum?.[0];
  if (given !== undefined) return given;
  switch ([field.type].flat()[0]) {
    case 'object':
      return Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, sampleOf(reference, property)]),
      );
    case 'array':
      return items ? [sampleOf(reference, items)] : [];
    case 'boolean':
      return true;
    case 'integer':
      return Math.max(field.minimum ?? 0, 1);
    default:
      return field.format === 'date-time' ? '2026-01-31T08:30:00.000Z' : '…';
  }
}

const exampleOf = (example: unknown): Html =>
  markup`<h4>Example</h4>${quoted(JSON.stringify(example, null, 2))}`;

const quoted = (example: string): Html =>
  markup`<pre tabindex="0" role="region" aria-label="Example"><code>${example}</code></pre>`;

/** The successful response field by field, and a line for each other status. */
function answersOf(reference: Reference, { responses }: Operation): Html {
  const answers = Object.entries(responses).map(
    ([status, answer]) => [status, resolve<Answer>(reference, answer)] as const,
  );
  const successes = answers.filter(([status]) => status.startsWith('2'));
  const failures = answers.filter(([status]) => !status.startsWith('2'));
  return markup`${successes.map(
    ([status, { description, content }]) =>
      markup`${content ? bodyOf(reference, `Response: ${status}`, content['application/json']) : ''}${markdown(description)}`,
  )}<h4>Errors</h4><table><tbody>${failures.map(
    ([status, { description }]) =>
      markup`<tr><th scope="row">${status}</th><td>${inline(description)}</td></tr>`,
  )}</tbody></table>`;
}

/** A row per field, nested ones under their path: `reward.id`, `refunds[].status`. */
function fieldRows(reference: Reference, schema: Schema, prefix = ''): Html[] {
  const { properties = {}, required = [] } = flat(reference, schema);
  return Object.entries(properties).flatMap(([name, property]) => {
    const field = flat(reference, property);
    const path = `${prefix}${name}`;
    const nested = field.items ? `${path}[].` : `${path}.`;
    return [
      rowOf(reference, path, property, required.includes(name) ? '' : 'optional'),
      ...fieldRows(reference, field.items ?? field, nested),
    ];
  });
}

const tableOf = (rows: Html[]): Html => markup`<table><tbody>${rows}</tbody></table>`;

function rowOf(reference: Reference, name: string, schema: Schema, note: string): Html {
  const field = flat(reference, schema);
  const words = [typeOf(reference, schema), note].filter(Boolean).join(', ');
  return markup`<tr><th scope="row"><code>${name}</code> <span class="muted">${words}</span></th>
<td>${inline([field.description ?? '', ...limitsOf(field)].filter(Boolean).join(' '))}</td></tr>`;
}

/** What a schema refers to and combines, as one schema; of an object or null, the object. */
function flat(reference: Reference, schema: Schema): Schema {
  const { allOf = [], anyOf = [], ...own } = resolve<Schema>(reference, schema);
  const parts = [...allOf, ...anyOf.filter(({ type }) => type !== 'null')];
  const whole = parts.map((part) => flat(reference, part));
  return Object.assign({}, ...whole, own, {
    properties: Object.assign({}, ...[...whole, own].map(({ properties }) => properties)),
    required: [...whole, own].flatMap(({ required = [] }) => required),
  });
}

function typeOf(reference: Reference, schema: Schema): string {
  const { anyOf = [] } = resolve<Schema>(reference, schema);
  const { type = 'string', items, format } = flat(reference, schema);
  const names = [type].flat().map((name) => {
    if (name === 'array' && items) return `list of ${typeOf(reference, items)}s`;
    return format && name === 'string' ? (formats[format] ?? format) : name;
  });
  if (anyOf.some((one) => one.type === 'null')) names.push('null');
  return names.join(' or ');
}

const formats: Record<string, string> = { 'date-time': 'time in ISO 8601', uri: 'URL' };

/** What a value must be, in sentences. A long pattern says nothing to a reader. */
function limitsOf(schema: Schema): string[] {
  const { minimum, maximum, minLength, maxLength, maxItems, pattern } = schema;
  const range = [
    minimum === undefined ? '' : `at least ${minimum.toLocaleString('en')}`,
    maximum === undefined ? '' : `at most ${maximum.toLocaleString('en')}`,
    minLength === undefined ? '' : `at least ${minLength} character${minLength === 1 ? '' : 's'}`,
    maxLength === undefined ? '' : `at most ${maxLength} characters`,
    maxItems === undefined ? '' : `at most ${maxItems} entries`,
    pattern === undefined || pattern.length > longestPattern ? '' : `matches \`${pattern}\``,
  ].filter(Boolean);
  const values = schema.enum?.map((value) => `\`${value}\``).join(', ');
  return [
    schema.const === undefined ? '' : `Always \`${schema.const}\`.`,
    values === undefined ? '' : `One of ${values}.`,
    range.length === 0 ? '' : `${sentence(range.join(', '))}.`,
  ];
}

const longestPattern = 20;
const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const headingsOf = (text: string): string[] =>
  [...text.matchAll(/^## (.+)$/gm)].map(([, name = '']) => name);

const idOf = (name: string): string => name.toLowerCase().replaceAll(' ', '-');

/** The Markdown of the reference: paragraphs, headings, tables and code. */
function markdown(text: string): Html[] {
  return text
    .trim()
    .split(/\n\s*\n/)
    .map((block) => {
      if (block.startsWith('## ')) {
        const name = block.slice(3);
        return markup`<h2 id="${idOf(name)}">${name}</h2>`;
      }
      return block.startsWith('|') ? markdownTable(block) : markup`<p>${inline(block)}</p>`;
    });
}

function markdownTable(block: string): Html {
  const [head = [], , ...rows] = block.split('\n').map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => inline(cell.trim())),
  );
  return markup`<table><thead><tr>${head.map((cell) => markup`<th>${cell}</th>`)}</tr></thead>
<tbody>${rows.map((cells) => markup`<tr>${cells.map((cell) => markup`<td>${cell}</td>`)}</tr>`)}</tbody></table>`;
}

/** Every other part between backquotes is code. */
const inline = (text: string): (Html | string)[] =>
  text.split('`').map((part, index) => (index % 2 === 1 ? markup`<code>${part}</code>` : part));
