import { type Command, Option } from 'commander';
import { columns } from './columns.ts';
import type { Session } from './session.ts';
import { integer, paged, segment } from './set-up.ts';

/** The commands that bring money in, let customers spend, and show where it stands. */
export function addMoneyCommands(program: Command, session: Session): void {
  const withDeposit = (command: Command) =>
    command
      .requiredOption('--amount-cents <n>', 'in cents', integer)
      .requiredOption('--external-reference <text>', 'such as the bank’s; a repeat moves nothing');

  withDeposit(program.command('top-up <partnerId>').description('LIVE money came in')).action(
    (partnerId, fields) => session.show('POST', `/partners/${segment(partnerId)}/top-ups`, fields),
  );
  withDeposit(
    program
      .command('test-funding <integrationId>')
      .description('fund TEST, where nothing is money'),
  ).action((integrationId, fields) =>
    session.show('POST', `/integrations/${segment(integrationId)}/test-funding`, fields),
  );
  program
    .command('wallet <partnerId>')
    .description('LIVE funds, and what waits for them')
    .option('--integration <id>', 'the test funding of this integration instead')
    .action((partnerId, { integration }) =>
      session.show(
        'GET',
        integration === undefined
          ? `/partners/${segment(partnerId)}/wallet`
          : `/integrations/${segment(integration)}/test-funding`,
      ),
    );
  paged(program.command('ledger <partnerId>').description('LIVE transactions, newest first'))
    .option('--account <name>', 'such as funding or payable:cus_…')
    .option('--reward <id>')
    .action((partnerId, query) =>
      session.list(`/partners/${segment(partnerId)}/ledger`, query, columns.ledger),
    );

  addCustomers(program, session);
}

function addCustomers(program: Command, session: Session): void {
  const customers = program.command('customers').description('what customers hold');
  customers
    .command('find <partnerId>')
    .description('the id of a customer of this partner, from what the partner sent')
    .addOption(new Option('--email <email>').conflicts('phone'))
    .option('--phone <phone>', 'of a customer who was reported without an e-mail')
    .action((partnerId, fields) =>
      session.show('POST', `/partners/${segment(partnerId)}/customer-lookup`, fields),
    );
  customers
    .command('show <customerId>')
    .action((customerId) => session.show('GET', `/customers/${segment(customerId)}`));
  customers
    .command('redeem <customerId>')
    .description('the customer spends points')
    .requiredOption('--points <n>', 'how many', integer)
    .requiredOption('--reference <text>', 'names the redemption; a repeat moves nothing')
    .action((customerId, fields) =>
      session.show('POST', `/customers/${segment(customerId)}/redemptions`, fields),
    );
  customers
    .command('erase <customerId>')
    .description('destroy what the customer’s contact, metadata and reasons open with; for good')
    .requiredOption('--reference <text>', 'names the erasure, such as the number of the request')
    .action((customerId, fields) =>
      session.show('POST', `/customers/${segment(customerId)}/erasure`, fields),
    );
}
