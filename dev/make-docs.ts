import { readFileSync, writeFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { otherErrors, partnerErrors } from '../domain/error-codes.ts';
import { permittedRoles, roleSummaries, roles } from '../domain/operators.ts';
import { type PartnerPermission, partnerRoles, permittedPartnerRoles } from '../domain/partners.ts';
import { errorCodeSchema, errorsOfPartners, retryWords } from '../http/partner-reference.ts';
import { operations } from '../operations/index.ts';
import { type AnyOperation, isSensitive, ownAccount } from '../operations/operation.ts';
import { type Variable, variables } from '../platform/config.ts';
import { rightsFile, rightsOfProcesses, textOfRights } from './mongodb-rights.ts';
import { alignedTable } from './table.ts';

/** The pages with a table that `npm run make -- docs` makes from the code. */
export const pagesWithTables = [
  { page: new URL('../docs/configuration.md', import.meta.url), table: configTable },
  { page: new URL('../.env.example', import.meta.url), table: exampleVariables },
  { page: new URL('../docs/operations.md', import.meta.url), table: roleTable },
  { page: new URL('../docs/roles.md', import.meta.url), table: operationTable },
  { page: new URL('../docs/threats.md', import.meta.url), table: threatTable },
  { page: new URL('../docs/integrate/errors.md', import.meta.url), table: errorTables },
  { page: new URL('../api/openapi.yaml', import.meta.url), table: errorCodes },
  { page: new URL('../clients/typescript/errors.ts', import.meta.url), table: errorCodeType },
];

const pageMarks = ['<!-- made by `npm run make -- docs` -->', '<!-- end -->'] as const;
/** In pages, in the reference, in code, and in .env.example. */
const allMarks = [
  pageMarks,
  ['      # Made by `npm run make -- docs`.', '      # End.'],
  ['// Made by `npm run make -- docs`.', '// End.'],
  ['# Made by `npm run make -- docs`.', '# End.'],
] as const;

/** The page with its table replaced by a new one. */
export function withTable(text: string, table: () => string): string {
  const [begin, end] = allMarks.find(([mark]) => text.includes(mark)) ?? pageMarks;
  const [before = '', rest = ''] = text.split(begin);
  const [, after = ''] = rest.split(end);
  return `${before}${begin}\n\n${table()}\n\n${end}${after}`;
}

function roleTable(): string {
  const rows = roles.map((role) => [`\`${role}\``, roleSummaries[role]]);
  return alignedTable([['role', 'can'], ...rows]);
}

const byName = (): AnyOperation[] =>
  [...(operations as readonly AnyOperation[])].sort((a, b) => (a.name < b.name ? -1 : 1));

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

/** The worst that one person can do with each operation. */
function threatTable(): string {
  const rows = byName().map(({ name }) => [`\`${name}\``, worst[name as Name]]);
  return alignedTable([['operation', 'the worst alone'], ...rows]);
}

type Name = (typeof operations)[number]['name'];

const nothing = 'nothing: no money, key or role';
const ownAlone = 'their own account only';
const testAlone = 'TEST only, without real money';
const ends = 'an interruption without any gain';

/** What the worst person can do with each operation alone, with four eyes on. A new operation does not compile without. */
const worst: Record<Name, string> = {
  'own-session.create': ownAlone,
  'own-password.change': ownAlone,
  'own-access-token.create': 'a token of their own, for TEST only',
  'own-session.revoke': ownAlone,
  'own-email.send-code': ownAlone,
  'own-email.prove': ownAlone,
  'own-second-factor.enroll': ownAlone,
  'own-second-factor.give': ownAlone,
  'own-access-token.revoke': ownAlone,
  'own-notices.choose': ownAlone,
  'own-time-zone.choose': ownAlone,
  'own-token.revoke': ownAlone,
  'own-token.rotate': 'a second token of their own',
  'audit.close': 'closes an entry wrongly; the audit still compares all records',
  'outbox.retry': 'something is tried again that fails again',
  'signing-key.retire': 'the next tree head is signed with a new key, which partners have to fetch',
  'credential.create':
    'an owner: LIVE keys of their own partner, limited by its funds; an operator: TEST keys',
  'credential.rotate': 'an owner: a secret of their own partner’s key; an operator: TEST only',
  'credential.revoke': ends,
  'credential.revoke-secret': ends,
  'customer.erase': `${nothing}; it takes two`,
  'customer.redeem': '`FOUR_EYES_REDEMPTION_CENTS` a day: per customer, per partner, and in total',
  'earning-rule.activate':
    'an owner: their own funds, within the contract’s ceilings; an operator: TEST only',
  'earning-rule.create': 'a draft, within the contract’s ceilings, which earns nothing',
  'earning-rule.deactivate': 'an owner: their own purchases are refused; an operator: TEST only',
  'partner.approve-go-live': `${nothing}; it takes two`,
  'partner.request-go-live': nothing,
  'partner.return-go-live': ends,
  'integration.create': 'an integration without a key',
  'integration.update': 'an owner: customers are not notified of rewards; an operator: TEST only',
  'order-comparison.start': nothing,
  'back-test.start': nothing,
  'export.start':
    'a copy of what they can read anyway; the audit log records the export and each download',
  'invoice-pdf.start': nothing,
  'statement-pdf.start': nothing,
  'operator.change-role': 'lowers a role, except of the last two admins; raising one takes two',
  'operator.confirm': 'vouches for another admin’s accomplice, never for their own',
  'operator.create': 'a viewer, who can only read; above that it takes two',
  'operator.reset-second-factor': 'a viewer’s factor; above that it takes two',
  'operator.revoke': 'locks others out, except the last two admins',
  'operator.revoke-token': ends,
  'partner.create': 'a partner in TEST',
  'partner.invite':
    'a developer or a viewer of a partner in TEST; an owner, and whoever joins a LIVE partner, takes two',
  'partner.update':
    'a suspension or another rate limit; lifting one, what points cost or pay, and what was reviewed take two',
  'partner.view-as': 'reads a partner’s portal for half an hour without changing anything',
  'partner.view-as-end': nothing,
  'plan.archive': ends,
  'plan.create': 'a draft of a price',
  'plan.publish': 'a price that a partner is not yet billed by',
  'proposal.reject': ends,
  'review.add-note': nothing,
  'review.answer': 'an untrue answer, in LIVE an owner’s; operators decide',
  'review.ask': nothing,
  'review.assign': nothing,
  'review.decide': '`FOUR_EYES_REVIEW_CENTS` a day: per customer, per partner, and in total',
  'reward.cancel': 'an unclaimed reward; its money goes back to the partner',
  'reward.send-again':
    'the same claim link to the same contact, within the quotas of messages, at most 60 an hour per person',
  'reward.correct-contact':
    'an owner: whom an unclaimed reward of their own partner is for, told to both; an operator: TEST only',
  'reward.reinstate': `${nothing} in TEST; in LIVE it takes two`,
  'subscription.cancel': 'a plan’s fee, which is invoiced and not taken',
  'subscription.change': 'a plan’s fee, which is invoiced and not taken',
  'subscription.create': 'a plan’s fee, which is invoiced and not taken',
  'test-clock.claim': testAlone,
  'test-clock.expire': testAlone,
  'test-console.send': testAlone,
  'rehearsal.start': testAlone,
  'rehearsal.end': testAlone,
  'branding.update': 'how messages to their own partner’s customers look',
  'branding.set-logo': 'an image above them, re-encoded from its pixels',
  'branding.remove-logo': ends,
  'contact-email.begin': 'ten emails a day that contain only a code',
  'contact-email.confirm': 'their own partner’s emails, to an address that they can read',
  'user.accept-invitation': 'what the invitation grants, for the owner of the mailbox',
  'user.change-role': 'an owner: who acts for their own partner',
  'user.invite': 'an owner: who acts for their own partner',
  'user.remove': 'an owner: a member of their own team, who is notified',
  'user.reset-second-factor':
    'an owner’s factor in TEST; in LIVE it takes two: they are signed out and notified; their password stays',
  'user.revoke-invitation': ends,
  'integration.test-funding': testAlone,
  'partner.top-up': `${nothing}; it takes two`,
  'partner.withdraw': `${nothing}; it takes two`,
  'partner.correct-top-up': `${nothing}; it takes two`,
  'invoice.reverse-payment': `${nothing}; it takes two`,
  'invoice.record-payment': `${nothing}; it takes two`,
  'invoice.void': `${nothing}; it takes two`,
  'service-account.create':
    'a program that reads what they can read, and outlives them; in LIVE an owner’s, with an end, and announced',
  'service-account.rotate': 'another token for a program that reads',
  'service-account.revoke': ends,
  'webhook-endpoint.create': 'another address receives ids, states and cents, but no customer data',
  'webhook-endpoint.update': 'another address receives ids, states and cents, but no customer data',
  'webhook-endpoint.delete': ends,
  'webhook-endpoint.rotate-secret': 'webhooks that the partner’s receiver accepts as genuine',
  'webhook-endpoint.test': nothing,
  'webhook-example.send': nothing,
  'webhook-listener.start': 'a colleague’s terminal receives TEST events',
  'webhook-endpoint.resend': nothing,
  'webhook-delivery.resend': nothing,
};

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

/** The schema of the error codes in the reference. */
function errorCodes(): string {
  const schema = errorCodeSchema({ ...partnerErrors, ...otherErrors });
  const text = stringify(schema, { blockQuote: 'literal', lineWidth: 0 });
  return text.trim().replaceAll(/^(?=.)/gm, '      ');
}

/** The type of the error codes in the TypeScript client. */
function errorCodeType(): string {
  const codes = Object.keys(partnerErrors).map((code) => `  | '${code}'`);
  return `/** The codes of the service's errors. */\nexport type ErrorCode =\n${codes.join('\n')};`;
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
  for (const { page, table } of pagesWithTables) {
    writeFileSync(page, withTable(readFileSync(page, 'utf8'), table));
  }
}
