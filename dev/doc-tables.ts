import { readFileSync, writeFileSync } from 'node:fs';
import type Joi from 'joi';
import { roleSummaries, roles } from '../domain/operator-roles.ts';
import { configSchema } from '../platform/config.ts';
import { rightsFile, rightsOfProcesses, textOfRights } from './mongodb/rights.ts';
import { rolesPage, withTable as withRolesTable } from './roles-table.ts';
import { alignedTable } from './table.ts';
import { threatRows } from './threats-table.ts';

/** The pages with a table generated from the code by `npm run docs:tables`. */
export const pagesWithTables = [
  { page: new URL('../docs/configuration.md', import.meta.url), table: configTable },
  { page: new URL('../docs/operations.md', import.meta.url), table: roleTable },
  { page: new URL('../docs/threats.md', import.meta.url), table: threatTable },
];

const [begin, end] = ['<!-- made by `npm run docs:tables` -->', '<!-- end -->'];

/** The page with its table replaced by a new one. */
export function withTable(text: string, table: () => string): string {
  const [before = '', rest = ''] = text.split(begin);
  const [, after = ''] = rest.split(end);
  return `${before}${begin}\n\n${table()}\n\n${end}${after}`;
}

function roleTable(): string {
  const rows = roles.map((role) => [`\`${role}\``, roleSummaries[role]]);
  return alignedTable([['role', 'can'], ...rows]);
}

function threatTable(): string {
  const head = ['operation', 'operators', 'partner users', 'approved by', 'the worst alone'];
  return alignedTable([head, ...threatRows()]);
}

function configTable(): string {
  const variables = Object.entries(configSchema.describe().keys as Record<string, Joi.Description>);
  const rows = variables.map(([name, variable]) => [
    `\`${name}\``,
    valuesOf(variable),
    defaultOf(variable),
    String((variable.flags as Flags | undefined)?.description ?? ''),
  ]);
  return alignedTable([['variable', 'values', 'default', 'meaning'], ...rows]);
}

interface Flags {
  only?: boolean;
  presence?: string;
  default?: unknown;
  description?: string;
}

interface Rule {
  name: string;
  args?: { limit?: number; description?: string; options?: { scheme?: string[] } };
}

function defaultOf({ flags = {} }: Joi.Description & { flags?: Flags }): string {
  if (flags.presence === 'required') return 'required';
  return flags.default === undefined ? '–' : `\`${flags.default}\``;
}

function valuesOf({ type, flags = {}, allow, rules = [] }: Joi.Description): string {
  if ((flags as Flags).only) return (allow as unknown[]).map((value) => `\`${value}\``).join(', ');
  const ruleOf = (name: string) => (rules as Rule[]).find((rule) => rule.name === name);
  const schemes = ruleOf('uri')?.args?.options?.scheme;
  const described = ruleOf('custom')?.args?.description;
  if (described) return described;
  if (schemes) return schemes.map((scheme) => `\`${scheme}://\``).join(', ');
  if (type === 'boolean') return '`true`, `false`';
  if (type !== 'number') return 'text';
  if (ruleOf('port')) return 'port';
  const kind = ruleOf('integer') ? 'integer' : 'number';
  const limits = [ruleOf('min'), ruleOf('max')].map((rule) =>
    rule?.args?.limit?.toLocaleString('en'),
  );
  const [least = ruleOf('sign') ? 'above 0' : undefined, most] = limits;
  if (least !== undefined && most !== undefined) return `${kind}, ${least} to ${most}`;
  return [kind, least === undefined ? undefined : `${least} or more`].filter(Boolean).join(', ');
}

if (import.meta.main) {
  writeFileSync(rightsFile, textOfRights(rightsOfProcesses()));
  writeFileSync(rolesPage, withRolesTable(readFileSync(rolesPage, 'utf8')));
  for (const { page, table } of pagesWithTables) {
    writeFileSync(page, withTable(readFileSync(page, 'utf8'), table));
  }
}
