import { type Command, Option } from 'commander';
import { intervals } from '../../domain/plan-arithmetic.ts';
import { columns } from './columns.ts';
import type { Session } from './session.ts';
import { integer, paged, pathSegment } from './set-up.ts';

/** Commands for plans, subscriptions and invoices. */
export function addPlanCommands(program: Command, session: Session): void {
  const plans = paged(program.command('plans').description('list plan versions, newest first'));
  plans
    .addOption(new Option('--status <status>').choices(['DRAFT', 'PUBLISHED', 'ARCHIVED']))
    .action((query) => session.list('/plans', query, columns.plans));
  plans
    .command('create')
    .description('draft the next version of a plan')
    .requiredOption('--plan-code <code>')
    .requiredOption('--name <name>')
    .option('--currency <code>', 'three capital letters', 'USD')
    .requiredOption('--monthly-price-cents <n>', '', integer)
    .requiredOption('--annual-price-cents <n>', '', integer)
    .requiredOption('--included-points <n>', 'a month', integer)
    .requiredOption('--overage-rate-micros-per-point <n>', 'in millionths', integer)
    .requiredOption(
      '--api-rate-limit-per-minute <n>',
      'requests a minute, for all keys of a mode',
      integer,
    )
    .requiredOption('--support-class <name>')
    .option('--features <texts...>', '', [])
    .action((fields) => session.show('POST', '/plans', fields));
  for (const [verb, description] of [
    ['publish', 'publish it; it never changes from then on'],
    ['archive', 'stop offering it; partners on it stay on it'],
  ] as const) {
    plans
      .command(`${verb} <planVersionId>`)
      .description(description)
      .action((id) => session.show('POST', `/plans/${pathSegment(id)}/${verb}`));
  }

  const path = (partnerId: string) => `/partners/${pathSegment(partnerId)}/subscription`;
  const subscription = program
    .command('subscription')
    .description('manage the plan that a partner is on');
  subscription
    .command('show <partnerId>', { isDefault: true })
    .action((partnerId) => session.show('GET', path(partnerId)));
  subscription
    .command('create <partnerId>')
    .requiredOption('--plan-version-id <id>')
    .addOption(new Option('--interval <interval>').choices(intervals).default('MONTH'))
    .action((partnerId, fields) => session.show('POST', path(partnerId), fields));
  subscription
    .command('change <partnerId>')
    .description('an upgrade applies at once, prorated; anything else with the next period')
    .requiredOption('--plan-version-id <id>')
    .action((partnerId, fields) => session.show('POST', `${path(partnerId)}/change`, fields));
  subscription
    .command('cancel <partnerId>')
    .description('cancel at the end of the current period')
    .action((partnerId) => session.show('POST', `${path(partnerId)}/cancel`));
  paged(program.command('invoices <partnerId>').description('invoices, newest first')).action(
    (partnerId, query) =>
      session.list(`/partners/${pathSegment(partnerId)}/invoices`, query, columns.invoices),
  );
}
