import { type Command, Option } from 'commander';
import { columns } from './columns.ts';
import type { Session } from './session.ts';
import { paged, segment } from './set-up.ts';

/** The commands for operators, and for what one proposes and another approves. */
export function addOperatorCommands(program: Command, session: Session): void {
  addOperators(program, session);
  addProposals(program, session);
}

const role = () =>
  new Option('--role <role>', 'what they may do')
    .choices(['viewer', 'support', 'finance', 'admin'])
    .makeOptionMandatory();

function addOperators(program: Command, session: Session): void {
  const path = (operatorId: string) => `/operators/${segment(operatorId)}`;
  const operators = paged(program.command('operators').description('who may do what'));
  operators.action((query) => session.list('/operators', query, columns.operators));
  operators
    .command('show <operatorId>')
    .description('with the tokens and their last use; `me` for yourself')
    .action((operatorId) => session.show('GET', path(operatorId)));
  operators
    .command('create')
    .description('make an operator; the token is shown this once')
    .requiredOption('--name <name>')
    .option('--email <email>', 'signs in to the portal with it, by a link that comes by mail')
    .addOption(role())
    .action((fields) => session.show('POST', '/operators', fields));
  operators
    .command('role <operatorId>')
    .description('give another role')
    .addOption(role())
    .action((operatorId, fields) => session.show('PATCH', path(operatorId), fields));
  operators
    .command('rotate <operatorId>')
    .description('add a second active token, shown this once; `me` for your own')
    .action((operatorId) => session.show('POST', `${path(operatorId)}/tokens`));
  operators
    .command('revoke <operatorId>')
    .description('end an operator, or one token')
    .option('--token-id <tokenId>', 'this token alone; with `me` one of your own')
    .action((operatorId, { tokenId }) => {
      const one = tokenId === undefined ? '' : `/tokens/${segment(tokenId)}`;
      return session.show('DELETE', `${path(operatorId)}${one}`);
    });
}

function addProposals(program: Command, session: Session): void {
  const path = (proposalId: string) => `/proposals/${segment(proposalId)}`;
  const proposals = paged(program.command('proposals').description('what needs two operators'));
  proposals
    .option('--partner <id>')
    .addOption(
      new Option('--status <status>').choices(['PROPOSED', 'APPROVED', 'REJECTED', 'EXPIRED']),
    )
    .action((query) => session.list('/proposals', query, columns.proposals));
  proposals
    .command('show <proposalId>')
    .action((proposalId) => session.show('GET', path(proposalId)));
  proposals
    .command('approve <proposalId>')
    .description('it is carried out at once; a secret that it makes is shown this once')
    .action((proposalId) => session.show('POST', `${path(proposalId)}/approval`));
  proposals
    .command('reject <proposalId>')
    .description('refuse it, or take back your own')
    .requiredOption('--reason <text>', 'for the one who proposed it')
    .action((proposalId, fields) => session.show('POST', `${path(proposalId)}/rejection`, fields));
}
