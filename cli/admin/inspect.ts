import { type Command, Option } from 'commander';
import { modes } from '../../domain/mode.ts';
import { requestTypes } from '../../domain/request.ts';
import { allReviewReasons } from '../../domain/review-reasons.ts';
import { columns } from './columns.ts';
import type { Session } from './session.ts';
import { paged, pathSegment } from './set-up.ts';

/** Commands for rewards, events, reviews, the audit log and the runs of periodic checks. */
export function addInspectionCommands(program: Command, session: Session): void {
  const search = (command: Command) =>
    paged(command)
      .option('--order <id>', 'externalOrderId')
      .option('--event <id>')
      .option('--reward <id>')
      .option('--key <key>', 'Idempotency-Key, as it was sent')
      .option('--partner <id>');

  const rewards = search(program.command('rewards').description('find rewards'));
  rewards
    .option('--status <status>', 'such as PENDING or ADMIN_REVIEW')
    .action((query) => session.list('/rewards', query, columns.rewards));
  rewards
    .command('show <rewardId>')
    .description('show one reward, with its arithmetic and its moves')
    .action((rewardId) => session.show('GET', `/rewards/${pathSegment(rewardId)}`));

  rewards
    .command('cancel <rewardId>')
    .description('cancel a reward that nobody has claimed')
    .requiredOption('--reason <text>', 'stored with the reward')
    .action((rewardId, fields) =>
      session.show('POST', `/rewards/${pathSegment(rewardId)}/cancellation`, fields),
    );

  search(program.command('events').description('find accepted purchases and refunds')).action(
    (query) => session.list('/events', query, columns.events),
  );

  paged(program.command('integration-events').description('list signed requests, newest first'))
    .option('--partner <id>')
    .addOption(new Option('--mode <mode>').choices(modes))
    .addOption(new Option('--type <type>').choices(requestTypes))
    .option('--code <code>', 'ACCEPTED, REPLAYED, OK, or an error code')
    .option('--order <id>', 'externalOrderId')
    .option('--from <day>', 'UTC, such as 2026-03-01')
    .option('--to <day>', 'UTC, included')
    .action((query) => session.list('/integration-events', query, columns.integrationEvents));

  const reviews = paged(program.command('reviews').description('reviews of refunded rewards'));
  reviews
    .addOption(new Option('--status <status>').choices(['OPEN', 'DECIDED']))
    .option('--overdue', 'only open ones past their due time')
    .action((query) => session.list('/reviews', query, columns.reviews));
  reviews
    .command('show <reviewId>')
    .action((reviewId) => session.show('GET', `/reviews/${pathSegment(reviewId)}`));
  reviews
    .command('notes <reviewId>')
    .description('notes of operators, questions to the partner, and its answers')
    .action((reviewId) => session.show('GET', `/reviews/${pathSegment(reviewId)}/notes`));
  reviews
    .command('note <reviewId>')
    .description('add a note that only operators can see')
    .requiredOption('--text <text>', 'the note')
    .action((reviewId, body) =>
      session.show('POST', `/reviews/${pathSegment(reviewId)}/notes`, body),
    );
  reviews
    .command('ask <reviewId>')
    .description('ask the partner, who answers in the portal')
    .requiredOption('--text <text>', 'the question')
    .action((reviewId, body) =>
      session.show('POST', `/reviews/${pathSegment(reviewId)}/questions`, body),
    );
  reviews
    .command('decide <reviewId>')
    .description('uphold the refund, or dismiss it')
    .addOption(new Option('--uphold', 'the reward is cancelled').conflicts('dismiss'))
    .option('--dismiss', 'the reward stays')
    .requiredOption('--reason-code <code>', `one of ${allReviewReasons.join(', ')}`)
    .option('--reason <text>', 'in your own words, stored with the decision; required with OTHER')
    .action((reviewId, { uphold, dismiss, ...why }, command: Command) => {
      if (!uphold && !dismiss) command.error('error: give either --uphold or --dismiss');
      const decision = uphold ? 'UPHOLD' : 'DISMISS';
      return session.show('POST', `/reviews/${pathSegment(reviewId)}/decision`, {
        decision,
        ...why,
      });
    });

  const audit = paged(program.command('audit').description('who did what'));
  audit
    .option('--partner <id>')
    .addOption(new Option('--status <status>').choices(['INTENDED', 'DONE', 'FAILED']))
    .action((query) => session.list('/audit', query, columns.audit));
  audit
    .command('close <auditEntryId>')
    .description('close an entry left INTENDED, after finding out what happened')
    .addOption(new Option('--outcome <outcome>').choices(['DONE', 'FAILED']).makeOptionMandatory())
    .requiredOption('--reason <text>', 'stored with the entry')
    .action((auditEntryId, { outcome: status, reason }) =>
      session.show('POST', `/audit/${pathSegment(auditEntryId)}/closure`, { status, reason }),
    );

  paged(
    program.command('audit-runs').description('list audits of the ledger, newest first'),
  ).action((query) => session.list('/audit-runs', query, columns.auditRuns));

  paged(
    program
      .command('reconciliation-runs')
      .description('list reconciliations, which restart workflows that were not running'),
  ).action((query) => session.list('/reconciliation-runs', query, columns.reconciliationRuns));
}
