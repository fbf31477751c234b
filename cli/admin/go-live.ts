import type { Command } from 'commander';
import type { Session } from './session.ts';
import { pathSegment } from './set-up.ts';

/** Commands for taking a partner live. */
export function addGoLiveCommands(program: Command, session: Session): void {
  const path = (partnerId: string) => `/partners/${pathSegment(partnerId)}/go-live`;
  const goLive = program.command('go-live').description('take a partner live');
  goLive
    .command('show <partnerId>', { isDefault: true })
    .description('show what is done and what is missing')
    .action((partnerId) => session.show('GET', path(partnerId)));
  goLive
    .command('request <partnerId>')
    .description('submit the partner for review')
    .action((partnerId) => session.show('POST', `${path(partnerId)}/request`));
  goLive
    .command('approve <partnerId>')
    .description('make it live')
    .action((partnerId) => session.show('POST', `${path(partnerId)}/approval`));
  goLive
    .command('return <partnerId>')
    .description('return the request for changes')
    .requiredOption('--reason <text>', 'what must change')
    .action((partnerId, fields) => session.show('POST', `${path(partnerId)}/return`, fields));
}
