import type { Command } from 'commander';
import type { Session } from './session.ts';
import { segment } from './set-up.ts';

/** The commands with which a partner becomes live. */
export function addGoLiveCommands(program: Command, session: Session): void {
  const path = (partnerId: string) => `/partners/${segment(partnerId)}/go-live`;
  const goLive = program.command('go-live').description('how a partner becomes live');
  goLive
    .command('show <partnerId>', { isDefault: true })
    .description('what is there, and what is missing')
    .action((partnerId) => session.show('GET', path(partnerId)));
  goLive
    .command('request <partnerId>')
    .description('put the partner before a reviewer')
    .action((partnerId) => session.show('POST', `${path(partnerId)}/request`));
  goLive
    .command('approve <partnerId>')
    .description('make it live')
    .action((partnerId) => session.show('POST', `${path(partnerId)}/approval`));
  goLive
    .command('return <partnerId>')
    .description('give the request back')
    .requiredOption('--reason <text>', 'what is to be changed')
    .action((partnerId, fields) => session.show('POST', `${path(partnerId)}/return`, fields));
}
