import { type Command, Option } from 'commander';
import { intervals } from '../../domain/plan-arithmetic.ts';
import { columns } from './columns.ts';
import type { Session } from './session.ts';
import { paged, pathSegment } from './set-up.ts';

/** Commands that move TEST rewards and billing periods on without waiting. The API refuses LIVE ones. */
export function addTestClockCommands(program: Command, session: Session): void {
  const clock = program.command('test-clock').description('let time pass in TEST');
  for (const [verb, move, description] of [
    ['claim', 'CLAIM', 'claim a TEST reward, as its customer would'],
    ['expire', 'EXPIRE', 'end the claim window of a TEST reward'],
  ] as const) {
    clock
      .command(`${verb} <rewardId>`)
      .description(description)
      .action((rewardId) =>
        session.show('POST', `/rewards/${pathSegment(rewardId)}/test-clock`, { move }),
      );
  }
  const path = (partnerId: string) => `/partners/${pathSegment(partnerId)}/test-periods`;
  clock
    .command('end-period <partnerId>')
    .description('end the TEST billing period and show the invoice it would have produced')
    .option('--plan-version-id <id>', 'the plan to bill by, if there is no subscription')
    .addOption(new Option('--interval <interval>').choices(intervals))
    .action((partnerId, fields) => session.show('POST', path(partnerId), fields));
  paged(clock.command('periods <partnerId>').description('list ended periods')).action(
    (partnerId, query) => session.list(path(partnerId), query, columns.testPeriods),
  );
}
