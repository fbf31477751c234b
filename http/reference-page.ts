import { html } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import type {
  Body,
  OperationObject,
  OperationResponse,
  Parameter,
  Reference,
} from '../reference/openapi.ts';
import type { Schema } from '../reference/shapes.ts';
import {
  errorsOfPartners,
  type Installation,
  operationsIn,
  partnersReference,
  type ReferenceOperation,
  resolve,
} from './partner-reference.ts';

type Html = HtmlEscapedString;

const markup = (strings: TemplateStringsArray, ...parts: unknown[]): Html =>
  html(strings, ...parts) as Html;

/** A part of the page that the search shows or hides as a whole. */
interface Part {
  /** Its fragment. */
  id: string;
  title: string;
  content: Html;
}

/** Parts under a heading. */
interface Group {
  name: string;
  description: string;
  parts: readonly Part[];
}

/**
 * The partners' reference as HTML without scripts and inline styles: what holds for all requests, the
 * operations by tag, and the webhooks. Fragments are names of sections (`#signing`, `#webhooks`) and operations
 * (`#reportPurchase`).
 * @param besides what to show beside an operation's name
 * @returns renders the page with the parts that contain all words of a query, and with a form above the contents
 */
export function referencePage(
  installation: Installation,
  besides: (operationId: string) => Html | string,
): (query?: string, form?: Html | string) => Html {
  const reference = partnersReference(installation);
  const { description } = reference.info;
  const [intro = '', ...sections] = `${description}\n## Error codes\n\n${codesOf(reference)}`.split(
    /^## /m,
  );
  const general = { name: 'All requests', description: intro, parts: sections.map(sectionOf) };
  const groups = [general, ...reference.tags.map((tag) => groupOf(reference, tag, besides))];
  const texts = new Map(
    groups.flatMap(({ parts }) =>
      parts.map(({ id, title, content }) => [id, textOf(title, content)]),
    ),
  );
  return (query = '', form = '') => {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const hidden = ({ id }: Part) =>
      words.every((word) => texts.get(id)?.includes(word)) ? '' : markup` hidden`;
    return markup`<div class="reference">
<div class="contents" role="navigation" aria-label="Contents">${form}${groups.map(
      ({ name, parts }) =>
        markup`<section><h2><a href="#${idOf(name)}">${name}</a></h2><ul>${parts.map((part) => markup`<li${hidden(part)}><a href="#${part.id}">${part.title}</a></li>`)}</ul></section>`,
    )}</div>
<div>${groups.map(
      (
        group,
      ) => markup`<section class="group"><h2 class="tag" id="${idOf(group.name)}">${group.name}</h2>
${markdown(group.description)}${group.parts.map((part) => markup`<article class="card" id="${part.id}"${hidden(part)}>${part.content}</article>`)}</section>`,
    )}<p class="none">Nothing contains all these words.</p></div></div>`;
  };
}

const textOf = (title: string, content: Html): string =>
  `${title} ${String(content).replaceAll(/<[^>]+>/g, ' ')}`.toLowerCase();

/** A section of the description. @param text its name on the first line */
function sectionOf(text: string): Part {
  const [title = '', ...lines] = text.split('\n');
  const id = idOf(title);
  return { id, title, content: markup`${headingOf({ id, title })}${markdown(lines.join('\n'))}` };
}

function groupOf(
  reference: Reference,
  { name, description }: { name: string; description: string },
  besides: (operationId: string) => Html | string,
): Group {
  const isOf = ({ tags: [first] }: ReferenceOperation) => first === name;
  const operations = operationsIn(reference.paths).filter(isOf);
  const events = operationsIn(reference.webhooks).filter(isOf);
  const parts = [
    ...operations.map((one) => operationOf(reference, one, besides(one.operationId))),
    ...(events.length === 0 ? [] : [anyEvent(reference)]),
    ...events.map((one) => eventOf(reference, one)),
  ];
  return { name, description, parts };
}

/** The title of a part, which links to it. */
const headingOf = ({ id, title }: Pick<Part, 'id' | 'title'>, beside: Html | string = ''): Html =>
  markup`<h3><a class="self" href="#${id}">${title}</a> ${beside}</h3>`;

function codesOf(reference: Reference): string {
  return resolve<Schema>(reference, { $ref: '#/components/schemas/ErrorCode' }).description ?? '';
}

function operationOf(
  reference: Reference,
  operation: ReferenceOperation,
  beside: Html | string,
): Part {
  const {
    operationId: id,
    method,
    path,
    summary: title,
    description = '',
    requestBody,
  } = operation;
  const content = markup`${headingOf({ id, title }, beside)}
<p><code class="sent">${method} ${path}</code></p>
${markdown(description)}
${parametersTable(reference, operation)}
${Object.entries(requestBody?.content ?? {}).map(([type, body]) => requestOf(reference, type, body))}
${responsesOf(reference, operation)}`;
  return { id, title, content };
}

/** The fields of every event. */
function anyEvent(reference: Reference): Part {
  const event = resolve<Schema>(reference, { $ref: '#/components/schemas/WebhookEvent' });
  const named = { id: 'webhook-event', title: 'Every event' };
  const fields = tableOf(fieldRows(reference, event));
  return {
    ...named,
    content: markup`${headingOf(named)}${markdown(event.description ?? '')}${fields}`,
  };
}

/** An event: what it has in `data`. */
function eventOf(
  reference: Reference,
  { operationId: id, summary: title, description = '', requestBody }: ReferenceOperation,
): Part {
  const { schema = {}, example } = requestBody?.content['application/json'] ?? {};
  const { data = {} } = flat(reference, schema).properties ?? {};
  const fields = tableOf(fieldRows(reference, data, 'data.'));
  const content = markup`${headingOf({ id, title })}${markdown(description)}${fields}${exampleOf(example)}`;
  return { id, title, content };
}

function parametersTable(
  reference: Reference,
  { parameters = [] }: OperationObject,
): Html | string {
  if (parameters.length === 0) return '';
  const rows = parameters.map((one) => {
    const { name, schema, required, ...rest } = resolve<Parameter>(reference, one);
    const place = { header: 'header', path: 'part of the path' }[rest.in] ?? rest.in;
    return rowOf(
      reference,
      name,
      withExample({ ...flat(reference, schema), ...rest }),
      `${place}, ${required ? 'required' : 'optional'}`,
    );
  });
  return markup`<h4>Parameters</h4>${tableOf(rows)}`;
}

/** A parameter's example is in its description, since no example of a body has it. */
const withExample = ({ example, ...schema }: Schema): Schema => ({
  ...schema,
  description: `${schema.description}${example === undefined ? '' : ` Example: \`${example}\`.`}`,
});

/** JSON by its fields, anything else by its example. */
function requestOf(reference: Reference, type: string, body: Body): Html | string {
  if (type === 'application/json') return markup`<h4>Request</h4>${bodyOf(reference, body)}`;
  const title = `Request: ${type}`;
  return typeof body.example === 'string' ? markup`<h4>${title}</h4>${quoted(body.example)}` : '';
}

function bodyOf(reference: Reference, { schema = {} }: Partial<Body> = {}): Html {
  const example = sampleOf(reference, schema);
  return markup`${tableOf(fieldRows(reference, schema))}${exampleOf(example)}`;
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
function responsesOf(reference: Reference, { responses }: OperationObject): Html {
  const described = Object.entries(responses).map(
    ([status, response]) => [status, resolve<OperationResponse>(reference, response)] as const,
  );
  const successes = described.filter(([status]) => status.startsWith('2'));
  const failures = described.filter(([status]) => !status.startsWith('2'));
  return markup`${successes.map(
    ([status, { description, content }]) =>
      markup`<h4>Response: ${status}</h4>${markdown(description)}${content ? bodyOf(reference, content['application/json']) : ''}`,
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
<td>${cellOf(field)}</td></tr>`;
}

/** A description and what the value must be. */
function cellOf(field: Schema): Html[] {
  const description = field.description ?? '';
  const limits = limitsOf(field).join(' ');
  const isLong = description.includes('\n\n');
  return markdown([description, limits].filter(Boolean).join(isLong ? '\n\n' : ' '));
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

/** What a value must be, in sentences. A pattern is in the description, in words. */
function limitsOf(schema: Schema): string[] {
  const { minimum, maximum, minLength, maxLength, maxItems } = schema;
  const isCount = minimum === 0 && maximum === undefined;
  const range = [
    isCount || minimum === undefined ? '' : `at least ${minimum.toLocaleString('en')}`,
    maximum === undefined ? '' : `at most ${maximum.toLocaleString('en')}`,
    minLength === undefined ? '' : `at least ${minLength} character${minLength === 1 ? '' : 's'}`,
    maxLength === undefined ? '' : `at most ${maxLength} characters`,
    maxItems === undefined ? '' : `at most ${maxItems} entries`,
  ].filter(Boolean);
  return [
    schema.const === undefined ? '' : `Always \`${schema.const}\`.`,
    range.length === 0 ? '' : `${sentence(range.join(', '))}.`,
  ].filter(Boolean);
}

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const idOf = (name: string): string => name.toLowerCase().replaceAll(/[ ,]+/g, '-');

/** The Markdown of the reference: paragraphs, lists, tables, links and code. */
function markdown(text: string): Html[] {
  return text
    .trim()
    .split(/\n\s*\n/)
    .map((block) => {
      if (block.startsWith('|')) return markdownTable(block);
      const items = block.split(/^(?:- |\d+\. )/m).slice(1);
      const list = items.map((item) => markup`<li>${inline(item)}</li>`);
      if (block.startsWith('- ')) return markup`<ul>${list}</ul>`;
      return /^\d+\. /.test(block) ? markup`<ol>${list}</ol>` : markup`<p>${inline(block)}</p>`;
    });
}

function markdownTable(block: string): Html {
  const [head = [], , ...rows] = block.split('\n').map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  return markup`<table><thead><tr>${head.map((cell) => markup`<th>${cell}</th>`)}</tr></thead>
<tbody>${rows.map((cells) => markup`<tr${rowId(cells)}>${cells.map((cell) => markup`<td>${inline(cell)}</td>`)}</tr>`)}</tbody></table>`;
}

/** The fragment of a row about an error code. */
function rowId([first = '']: readonly string[]): Html | string {
  const code = first.replaceAll('`', '');
  return Object.hasOwn(errorsOfPartners, code) ? markup` id="${code}"` : '';
}

/** Every other part between backquotes is code; links are within the page. */
const inline = (text: string): (Html | string)[] =>
  text.split('`').flatMap((part, index) => (index % 2 === 1 ? codeOf(part) : linked(part)));

/** An error code leads to its row in the table. */
const codeOf = (code: string): Html =>
  Object.hasOwn(errorsOfPartners, code)
    ? markup`<a href="#${code}"><code>${code}</code></a>`
    : markup`<code>${code}</code>`;

const linked = (text: string): (Html | string)[] =>
  text.split(/(\[[^\]]+\]\([^)]+\))/).map((part) => {
    const [, name, to] = /^\[(.+)\]\((.+)\)$/.exec(part) ?? [];
    return to === undefined ? part : markup`<a href="${to}">${name}</a>`;
  });
