import { readFileSync, writeFileSync } from 'node:fs';
import { parse } from 'yaml';
import { partnerErrors } from '../domain/error-codes.ts';
import { currenciesByLimitUnit } from '../domain/limit-units.ts';
import { permittedRoles, roleSummaries, roles } from '../domain/operators.ts';
import { type PartnerPermission, partnerRoles, permittedPartnerRoles } from '../domain/partners.ts';
import { errorsOfPartners } from '../http/partner-reference.ts';
import { operations } from '../operations/index.ts';
import { type AnyOperation, isSensitive, ownAccount } from '../operations/operation.ts';
import { type Variable, variables } from '../platform/config.ts';
import { type Alert, readAlerts } from '../portal/documents/alerts.ts';
import { retryWords } from '../reference/errors.ts';
import { pythonAnswers, typescriptAnswers } from './answer-types.ts';
import { rightsFile, rightsOfProcesses, textOfRights } from './mongodb-rights.ts';
import { alignedTable } from './table.ts';
import { phpEvents, pythonEvents, typescriptEvents } from './webhook-types.ts';

/** The pages with tables that `npm run make -- docs` makes from the code. */
export const generatedPages = [
  { page: new URL('../docs/operate/configuration.md', import.meta.url), tables: [configTable] },
  { page: new URL('../.env.example', import.meta.url), tables: [exampleVariables] },
  {
    page: new URL('../docs/operate/roles.md', import.meta.url),
    tables: [roleTable, limitTable, worstTable, operationTable],
  },
  { page: new URL('../docs/operate/alerts.md', import.meta.url), tables: [alertSections] },
  { page: new URL('../docs/operate/chart-values.md', import.meta.url), tables: [valueTable] },
  { page: new URL('../docs/integrate/errors.md', import.meta.url), tables: [errorTables] },
  { page: new URL('../clients/typescript/errors.ts', import.meta.url), tables: [errorCodeType] },
  {
    page: new URL('../clients/typescript/webhook-events.ts', import.meta.url),
    tables: [typescriptEvents],
  },
  {
    page: new URL('../clients/python/src/partner_events/_webhook_types.py', import.meta.url),
    tables: [pythonEvents],
  },
  {
    page: new URL('../clients/typescript/responses.ts', import.meta.url),
    tables: [typescriptAnswers],
  },
  {
    page: new URL('../clients/python/src/partner_events/_types.py', import.meta.url),
    tables: [pythonAnswers],
  },
  { page: new URL('../clients/php/src/events.php', import.meta.url), tables: [phpEvents] },
];

const generatedPart =
  /((?:<!-- made by `npm run make -- docs` -->|(?:#|\/\/) Made by `npm run make -- docs`\.)\n)[\s\S]*?([ \t]*(?:<!-- end -->|(?:#|\/\/) End\.))/g;

/** The page with each of its generated parts made anew. */
export function withTables(text: string, tables: readonly (() => string)[]): string {
  let nth = 0;
  const made = text.replace(
    generatedPart,
    (_, begin: string, end: string) => `${begin}\n${tables[nth++]?.()}\n\n${end}`,
  );
  if (nth !== tables.length) throw new Error(`${nth} generated parts for ${tables.length} tables`);
  return made;
}

function roleTable(): string {
  const rows = roles.map((role) => [`\`${role}\``, roleSummaries[role]]);
  return alignedTable([['role', 'can'], ...rows]);
}

const byName = (): AnyOperation[] =>
  [...(operations as readonly AnyOperation[])].sort((a, b) => (a.name < b.name ? -1 : 1));

/** What the limits of one operator's day are in other currencies. */
function limitTable(): string {
  const rows = Object.entries(currenciesByLimitUnit).map(([unit, currencies]) => [
    Number(unit).toLocaleString('en'),
    currencies.replaceAll(' ', ', '),
  ]);
  return alignedTable([['minor units for one cent', 'currencies'], ...rows]);
}

/** What each operation that moves something does at worst. */
function worstTable(): string {
  const names = new Set(byName().map(({ name }) => name));
  const rows = byName().flatMap(({ name, atWorst }) => {
    if (atWorst === undefined) return [];
    const { moves, undo, two } = atWorst;
    const by = undo !== null && names.has(undo) ? `\`${undo}\`` : (undo ?? 'nothing');
    return [[`\`${name}\``, moves, by, two ?? 'never']];
  });
  return alignedTable([['operation', 'moves at worst', 'undone by', 'two operators'], ...rows]);
}

/** Who may do each operation. */
function operationTable(): string {
  const head = ['operation', 'operators', 'partner users', 'second factor', 'second operator'];
  return alignedTable([head, ...byName().map(rowOf)]);
}

function rowOf(operation: AnyOperation): string[] {
  const { name, permission, secondFactor } = operation;
  const factor = { ALWAYS: 'always', LIVE: 'for LIVE', NEVER: '' }[secondFactor];
  const approval = isSensitive(operation) ? 'may be needed' : 'no';
  if (permission === ownAccount) return [`\`${name}\``, 'everyone', 'everyone', factor, approval];
  const { operator, user } = permission;
  const operators = operator === null ? '' : named(permittedRoles[operator], roles);
  return [`\`${name}\``, operators, user === null ? '' : usersWith(user), factor, approval];
}

function usersWith(user: PartnerPermission | Record<'TEST' | 'LIVE', PartnerPermission>): string {
  const rolesOf = (one: PartnerPermission) => named(permittedPartnerRoles[one], partnerRoles);
  if (typeof user === 'string') return rolesOf(user);
  const [test, live] = [rolesOf(user.TEST), rolesOf(user.LIVE)];
  return test === live ? test : `TEST: ${test}; LIVE: ${live}`;
}

const named = (some: readonly string[], all: readonly string[]): string =>
  some.length === all.length ? 'everyone' : some.join(', ');

/** A section for each alert, by its group. */
function alertSections(): string {
  return readAlerts()
    .map(
      ({ group, alerts }) => `## ${capitalized(group)}\n\n${alerts.map(alertSection).join('\n\n')}`,
    )
    .join('\n\n');
}

function alertSection({ name, severity, summary, meaning, action, over }: Alert): string {
  return [
    `### ${name}`,
    '',
    `**${summary.replaceAll('<', '\\<')}** (\`${severity}\`). ${meaning}`,
    '',
    `- **Do**: ${action}`,
    `- **Over when**: ${over}`,
  ].join('\n');
}

const capitalized = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

function configTable(): string {
  const rows = Object.entries<Variable>(variables).map(([name, variable]) => [
    `\`${name}\``,
    variable.values,
    defaultOf(variable),
    variable.description,
  ]);
  return alignedTable([['variable', 'values', 'default', 'meaning'], ...rows]);
}

function defaultOf({ isRequired, fallback }: Variable): string {
  if (isRequired) return 'required';
  return fallback === undefined ? '–' : `\`${fallback}\``;
}

/** The errors that partners receive, in groups by what to do about them. */
function errorTables(): string {
  const head = ['code', 'status', 'meaning', 'what to do', 'does a retry help?'];
  return Object.entries(errorGroups)
    .map(([title, statuses]) => {
      const rows = Object.entries(errorsOfPartners)
        .filter(([, { status }]) => statuses.includes(status))
        .map(([code, { status, meaning, action, retry }]) => [
          `\`${code}\``,
          String(status),
          meaning,
          action,
          retryWords[retry],
        ]);
      return `## ${title}\n\n${alignedTable([head, ...rows])}`;
    })
    .join('\n\n');
}

/** By status. */
const errorGroups: Record<string, readonly number[]> = {
  'The request is not well-formed': [400, 405, 413, 415],
  'The key, the token or the signature is refused': [401, 403],
  'Something is missing or there already': [404, 409],
  'A rule does not allow it': [422],
  'The service is busy or failing': [429, 500, 503],
};

/** The type of the error codes in the TypeScript client. */
function errorCodeType(): string {
  const codes = Object.keys(partnerErrors).map((code) => `  | '${code}'`);
  return `/** The codes of the service's errors. */\nexport type ErrorCode =\n${codes.join('\n')};`;
}

/** The chart's schema. */
export const chartSchemaFile = new URL('../deploy/chart/values.schema.json', import.meta.url);

interface ValueSchema {
  description?: string;
  properties?: Record<string, ValueSchema>;
  propertyNames?: unknown;
}

/** What the chart sets itself, and what a Secret holds. */
const setByChart = [
  ...['PORT', 'ADMIN_PORT', 'PORTAL_PORT', 'METRICS_PORT'],
  ...['HOST', 'ADMIN_HOST', 'PORTAL_API_URL'],
];

/** The chart's schema, with the names of the variables that `config` can have. */
export function chartSchema(): ValueSchema {
  const schema: ValueSchema = JSON.parse(readFileSync(chartSchemaFile, 'utf8'));
  const names = Object.entries<Variable>(variables)
    .filter(([name, { isSecret }]) => !isSecret && !setByChart.includes(name))
    .map(([name]) => name);
  const config = schema.properties?.config;
  const ofTraces = { pattern: '^OTEL_[A-Z_]+$', not: { const: 'OTEL_EXPORTER_OTLP_HEADERS' } };
  if (config) config.propertyNames = { anyOf: [{ enum: names }, ofTraces] };
  return schema;
}

const chartValuesFile = new URL('../deploy/chart/values.yaml', import.meta.url);
/** A longer default is in the file alone. */
const longestDefault = 60;

/** Every value of the chart. */
function valueTable(): string {
  const rowsOf = (at: string, { properties, description = '' }: ValueSchema, value: unknown) => {
    if (properties === undefined) return [[`\`${at}\``, shown(value), description]];
    return Object.entries(properties).flatMap(([name, one]): string[][] =>
      rowsOf(`${at}.${name}`, one, (value as Record<string, unknown>)[name]),
    );
  };
  const values = parse(readFileSync(chartValuesFile, 'utf8'));
  const rows = Object.entries(chartSchema().properties ?? {})
    .filter(([name]) => name in values)
    .flatMap(([name, one]) => rowsOf(name, one, values[name]));
  return alignedTable([['value', 'default', 'meaning'], ...rows]);
}

function shown(value: unknown): string {
  if (value === '') return '–';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > longestDefault ? '[long](../../deploy/chart/values.yaml)' : `\`${text}\``;
}

const composeFile = new URL('../docker-compose.yml', import.meta.url);

/**
 * The optional variables that Docker Compose passes to the service, with their defaults. Those of
 * docker-compose.yml come first: some addresses differ there.
 */
function exampleVariables(): string {
  const passed = readFileSync(composeFile, 'utf8').matchAll(/\$\{([A-Z_]+):-([^}]*)\}/g);
  const defaults = new Map([...passed].map(([, name = '', value = '']) => [name, value]));
  return Object.entries<Variable>(variables)
    .filter(([name]) => defaults.has(name))
    .map(([name, { fallback }]) => `# ${name}=${defaults.get(name) || (fallback ?? '')}`)
    .join('\n');
}

if (import.meta.main) {
  writeFileSync(rightsFile, textOfRights(rightsOfProcesses()));
  const schema = chartSchema();
  // As it is formatted, if it is right.
  if (
    JSON.stringify(schema) !== JSON.stringify(JSON.parse(readFileSync(chartSchemaFile, 'utf8')))
  ) {
    writeFileSync(chartSchemaFile, `${JSON.stringify(schema, null, 2)}\n`);
  }
  for (const { page, tables } of generatedPages) {
    writeFileSync(page, withTables(readFileSync(page, 'utf8'), tables));
  }
}
