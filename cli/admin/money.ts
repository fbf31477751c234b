import { type Command, Option } from 'commander';
import { columns } from './columns.ts';
import type { Session } from './session.ts';
import { integer, paged, pathSegment } from './set-up.ts';

/** Commands for top-ups, test funding, wallets, the ledger and customers. */
export function addMoneyCommands(program: Command, session: Session): void {
  const withTopUp = (command: Command) =>
    command
      .requiredOption('--amount-cents <n>', 'in cents', integer)
      .requiredOption(
        '--external-reference <text>',
        'such as the bank’s; repeating it moves nothing',
      );

  withTopUp(
    program
      .command('top-up <partnerId>')
      .description('record a top-up of LIVE funds')
      .requiredOption(
        '--currency <code>',
        'currency of the amount, which must be that of the partner’s funds',
      ),
  ).action((partnerId, fields) =>
    session.show('POST', `/partners/${pathSegment(partnerId)}/top-ups`, fields),
  );
  withTopUp(
    program
      .command('test-funding <integrationId>')
      .description('add test funding, which is not real money'),
  ).action((integrationId, fields) =>
    session.show('POST', `/integrations/${pathSegment(integrationId)}/test-funding`, fields),
  );
  program
    .command('wallet <partnerId>')
    .description('show LIVE funds and the rewards waiting for them')
    .option('--integration <id>', 'show the test funding of this integration instead')
    .action((partnerId, { integration }) =>
      session.show(
        'GET',
        integration === undefined
          ? `/partners/${pathSegment(partnerId)}/wallet`
          : `/integrations/${pathSegment(integration)}/test-funding`,
      ),
    );
  paged(program.command('ledger <partnerId>').description('list LIVE transactions, newest first'))
    .option('--account <name>', 'such as funding or payable:cus_…')
    .option('--reward <id>')
    .action((partnerId, query) =>
      session.list(`/partners/${pathSegment(partnerId)}/ledger`, query, columns.ledger),
    );

  addCustomers(program, session);
}

function addCustomers(program: Command, session: Session): void {
  const customers = program
    .command('customers')
    .description('find customers, redeem their points or erase them');
  customers
    .command('find <partnerId>')
    .description('find a customer’s id by the contact that the partner reported')
    .addOption(new Option('--email <email>').conflicts('phone'))
    .option('--phone <phone>', 'for a customer who was reported without an email')
    .action((partnerId, fields) =>
      session.show('POST', `/partners/${pathSegment(partnerId)}/customer-lookup`, fields),
    );
  customers
    .command('show <customerId>')
    .action((customerId) => session.show('GET', `/customers/${pathSegment(customerId)}`));
  customers
    .command('redeem <customerId>')
    .description('redeem a customer’s points')
    .requiredOption('--points <n>', 'the number of points', integer)
    .requiredOption('--reference <text>', 'identifies the redemption; repeating it moves nothing')
    .action((customerId, fields) =>
      session.show('POST', `/customers/${pathSegment(customerId)}/redemptions`, fields),
    );
  customers
    .command('erase <customerId>')
    .description(
      'erase the customer: destroy the keys to their contacts, metadata and reasons, permanently',
    )
    .requiredOption(
      '--reference <text>',
      'identifies the erasure, such as the number of the request',
    )
    .action((customerId, fields) =>
      session.show('POST', `/customers/${pathSegment(customerId)}/erasure`, fields),
    );
}
