import { type Command, InvalidArgumentError, Option } from 'commander';
import { type EarningField, ruleKinds } from '../../domain/earning-rules.ts';
import { modes } from '../../domain/mode.ts';
import { partnerRoles } from '../../domain/partner-roles.ts';
import { columns } from './columns.ts';
import type { Session } from './session.ts';

/** Escapes a value that an operator entered for use in a path. */
export const pathSegment = encodeURIComponent;

export const integer = (text: string): number => {
  if (/^\d+$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Give a whole number.');
};
const mode = () =>
  new Option('--mode <mode>', 'the mode it applies to').choices(modes).default('TEST');

/** Adds the options of every list. */
export function paged(command: Command): Command {
  return command
    .option('--limit <n>', 'at most this many, 1 to 100', integer)
    .option('--cursor <cursor>', 'the cursor from the previous page');
}

/** Commands for partners, integrations, credentials, service accounts and earning rules. */
export function addSetUpCommands(program: Command, session: Session): void {
  addPartners(program, session);
  addIntegrations(program, session);
  addCredentials(program, session);
  addServiceAccounts(program, session);
  addRules(program, session);
}

function addPartners(program: Command, session: Session): void {
  const partners = paged(program.command('partners').description('list the partners'));
  partners.action((query) => session.list('/partners', query, columns.partners));
  const withFields = (command: Command) =>
    command
      .option('--legal-name <name>', 'the legal name, as registered')
      .option('--website <url>')
      .option('--support-email <email>', 'where its customers can get help')
      .option('--go-live-minimum-funding-cents <n>', 'LIVE funds required to go live', integer)
      .option('--country <code>', 'ISO 3166-1 alpha-2')
      .option(
        '--api-rate-limit-per-minute <n>',
        'requests a minute for all keys of a mode, when it has no plan',
        integer,
      )
      .option('--currency <code>', 'the currency of LIVE funds, three capital letters')
      .option('--contact-email <email>', 'is notified when funds are low or short')
      .option('--low-balance-threshold-cents <n>', 'below this, funds are low', integer)
      .addOption(new Option('--status <status>').choices(['ACTIVE', 'SUSPENDED']));
  withFields(partners.command('create').description('create a partner'))
    .requiredOption('--name <name>')
    .action((fields) => session.show('POST', '/partners', fields));
  withFields(partners.command('update <partnerId>').description('change a partner'))
    .option('--name <name>')
    .option(
      '--max-point-micros <n>',
      'maximum cost of a LIVE point, in millionths; needs two operators',
      integer,
    )
    .option('--max-reward-cents <n>', 'maximum cost of a LIVE reward; needs two operators', integer)
    .action((partnerId, fields) =>
      session.show('PATCH', `/partners/${pathSegment(partnerId)}`, fields),
    );
  partners
    .command('invite <partnerId>')
    .description('invite a user to the portal by email; the first owner can invite the others')
    .requiredOption('--email <email>')
    .addOption(new Option('--role <role>', 'the role').choices(partnerRoles).default('owner'))
    .action((partnerId, fields) =>
      session.show('POST', `/partners/${pathSegment(partnerId)}/invitations`, fields),
    );
}

function addIntegrations(program: Command, session: Session): void {
  const path = (partnerId: string) => `/partners/${pathSegment(partnerId)}/integrations`;
  const integrations = program
    .command('integrations')
    .description('manage the systems that send events');
  paged(integrations.command('list <partnerId>', { isDefault: true })).action((partnerId, query) =>
    session.list(path(partnerId), query, columns.integrations),
  );
  integrations
    .command('create <partnerId>')
    .requiredOption('--name <name>')
    .action((partnerId, fields) => session.show('POST', path(partnerId), fields));
}

function addCredentials(program: Command, session: Session): void {
  const path = (partnerId: string) => `/partners/${pathSegment(partnerId)}/credentials`;
  const credentials = program
    .command('credentials')
    .description('manage API keys and signing secrets');
  paged(credentials.command('list <partnerId>', { isDefault: true })).action((partnerId, query) =>
    session.list(path(partnerId), query, columns.credentials),
  );
  credentials
    .command('create <partnerId>')
    .description('create an API key; its secret is shown only once')
    .requiredOption('--integration-id <id>')
    .addOption(mode())
    .option('--scopes <scopes...>', 'its scopes', ['events:write', 'events:read'])
    .action((partnerId, fields) => session.show('POST', path(partnerId), fields));
  credentials
    .command('rotate <credentialId>')
    .description('add a second active secret, shown only once')
    .action((id) => session.show('POST', `/credentials/${pathSegment(id)}/secrets`));
  credentials
    .command('revoke <credentialId>')
    .description('revoke an API key, or one of its secrets')
    .option('--secret <secretId>', 'only this secret')
    .action((id, { secret }) => {
      const one = secret === undefined ? '' : `/secrets/${pathSegment(secret)}`;
      return session.show('DELETE', `/credentials/${pathSegment(id)}${one}`);
    });
  credentials
    .command('refused <credentialId> [requestId]')
    .description('list its newest requests with a refused signature, or explain one of them')
    .action((id, requestId) => {
      const refused = `/credentials/${pathSegment(id)}/refused-requests`;
      return requestId === undefined
        ? session.list(refused, {}, columns.refusedRequests)
        : session.show('GET', `${refused}/${pathSegment(requestId)}`);
    });
}

function addServiceAccounts(program: Command, session: Session): void {
  const path = (partnerId: string) => `/partners/${pathSegment(partnerId)}/service-accounts`;
  const accounts = program
    .command('service-accounts')
    .description('list and revoke the service accounts of partners’ programs');
  paged(accounts.command('list <partnerId>', { isDefault: true })).action((partnerId, query) =>
    session.list(path(partnerId), query, columns.serviceAccounts),
  );
  accounts
    .command('revoke <partnerId> <serviceAccountId>')
    .description('end a service account and its tokens, from its next request on')
    .action((partnerId, id) => session.show('DELETE', `${path(partnerId)}/${pathSegment(id)}`));
}

/** Options that only some kinds of rules have; the API checks which. */
const earningOptions = (): Record<EarningField, Option> => ({
  points: new Option('--points <n>', 'points per unit, or per order').argParser(integer),
  unitCents: new Option('--unit-cents <n>', 'the unit of PER_AMOUNT').argParser(integer),
});

function addRules(program: Command, session: Session): void {
  const path = (partnerId: string) => `/partners/${pathSegment(partnerId)}/earning-rules`;
  const send = (ruleId: string, verb: 'activate' | 'deactivate') =>
    session.show('POST', `/earning-rules/${pathSegment(ruleId)}/${verb}`);
  const rules = program.command('rules').description('manage how purchases earn points');
  paged(rules.command('list <partnerId>', { isDefault: true })).action((partnerId, query) =>
    session.list(path(partnerId), query, columns.rules),
  );
  const create = rules.command('create <partnerId>');
  for (const option of Object.values(earningOptions())) create.addOption(option);
  create
    .description('create a rule version; it earns nothing until you activate it')
    .addOption(mode())
    .option('--currency <code>', 'three capital letters', 'USD')
    .addOption(new Option('--kind <kind>').choices(ruleKinds).default('PER_AMOUNT'))
    .option('--minimum-order-cents <n>', 'smaller orders earn nothing', integer)
    .option('--multiplier <n>', 'a whole number', integer)
    .option('--campaign-starts-at <time>', 'start of the multiplier, ISO 8601 with offset')
    .option('--campaign-ends-at <time>', 'end of the multiplier, ISO 8601 with offset')
    .option('--cap-per-order-points <n>', '', integer)
    .option('--cap-per-customer-day-points <n>', '', integer)
    .option('--claim-window <duration>', 'ISO 8601, such as P30D or PT5S')
    .option(
      '--point-value-micros <n>',
      'what a point costs, in millionths of the currency unit',
      integer,
    )
    .option('--integration-id <id>', 'only for this integration')
    .action((partnerId, { campaignStartsAt: startsAt, campaignEndsAt: endsAt, ...fields }) => {
      const campaign = startsAt || endsAt ? { startsAt, endsAt } : undefined;
      return session.show('POST', path(partnerId), { ...fields, campaign });
    });
  rules.command('activate <ruleId>').action((ruleId) => send(ruleId, 'activate'));
  rules.command('deactivate <ruleId>').action((ruleId) => send(ruleId, 'deactivate'));
}
