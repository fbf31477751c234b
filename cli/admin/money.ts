import type { Command } from 'commander';
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

  const customers = program.command('customers').description('what customers hold');
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
}
