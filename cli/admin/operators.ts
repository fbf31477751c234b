import { type Command, Option } from 'commander';
import { roleSummaries, roles } from '../../domain/operator-roles.ts';
import { columns } from './columns.ts';
import type { Session } from './session.ts';
import { paged, pathSegment } from './set-up.ts';

/** Commands for operators, and for proposals that a second operator approves. */
export function addOperatorCommands(program: Command, session: Session): void {
  addOperators(program, session);
  addProposals(program, session);
}

const role = () =>
  new Option('--role <role>', roles.map((name) => `${name}: ${roleSummaries[name]}`).join('; '))
    .choices(roles)
    .makeOptionMandatory();

function addOperators(program: Command, session: Session): void {
  const path = (operatorId: string) => `/operators/${pathSegment(operatorId)}`;
  const operators = paged(program.command('operators').description('manage operators'));
  operators.action((query) => session.list('/operators', query, columns.operators));
  operators
    .command('show <operatorId>')
    .description('show an operator with tokens and their last use; `me` for yourself')
    .action((operatorId) => session.show('GET', path(operatorId)));
  operators
    .command('create')
    .description('add an operator, who signs in by email and creates their own tokens')
    .requiredOption('--name <name>')
    .requiredOption('--email <email>', 'for signing in to the portal, by a link sent by email')
    .addOption(role())
    .action((fields) => session.show('POST', '/operators', fields));
  operators
    .command('role <operatorId>')
    .description('change the role')
    .addOption(role())
    .action((operatorId, fields) => session.show('PATCH', path(operatorId), fields));
  operators
    .command('rotate')
    .description('add a second active token of your own, shown only once')
    .action(() => session.show('POST', `${path('me')}/tokens`));
  operators
    .command('confirm <operatorId>')
    .description('confirm that you know an operator introduced by someone else')
    .action((operatorId) => session.show('POST', `${path(operatorId)}/confirmation`));
  operators
    .command('revoke <operatorId>')
    .description('revoke an operator, or one token')
    .option('--token-id <tokenId>', 'revoke only this token; with `me`, one of your own')
    .action((operatorId, { tokenId }) => {
      const one = tokenId === undefined ? '' : `/tokens/${pathSegment(tokenId)}`;
      return session.show('DELETE', `${path(operatorId)}${one}`);
    });
}

function addProposals(program: Command, session: Session): void {
  const path = (proposalId: string) => `/proposals/${pathSegment(proposalId)}`;
  const proposals = paged(
    program.command('proposals').description('sensitive operations that need two operators'),
  );
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
    .description('approve it: it is carried out at once; a new secret is shown only once')
    .action((proposalId) => session.show('POST', `${path(proposalId)}/approval`));
  proposals
    .command('reject <proposalId>')
    .description('reject it, or withdraw your own')
    .requiredOption('--reason <text>', 'shown to the proposer')
    .action((proposalId, fields) => session.show('POST', `${path(proposalId)}/rejection`, fields));
}
