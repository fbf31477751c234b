import type { Command } from 'commander';
import type { Session } from './session.ts';
import { pathSegment } from './set-up.ts';

/** Commands that move TEST rewards on without waiting. The API refuses LIVE ones. */
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
}
