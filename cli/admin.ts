import { Command } from 'commander';
import { CliError } from './admin/client.ts';
import { addGoLiveCommands } from './admin/go-live.ts';
import { addInspectionCommands } from './admin/inspect.ts';
import { addMoneyCommands } from './admin/money.ts';
import { addOperatorCommands } from './admin/operators.ts';
import { addPlanCommands } from './admin/plans.ts';
import { createSession } from './admin/session.ts';
import { addSetUpCommands } from './admin/set-up.ts';
import { addTestClockCommands } from './admin/test-clock.ts';

const program = new Command('admin')
  .description('The operators’ API on the command line.')
  .option('--url <url>', 'the API’s base URL, such as http://127.0.0.1:3002/admin/v1 (ADMIN_URL)')
  .option('--token <token>', 'the operator’s bearer token (ADMIN_TOKEN)')
  .option('--json', 'print the JSON as received');

const session = createSession(
  () => program.opts(),
  process.env,
  (text) => process.stdout.write(text),
);
addSetUpCommands(program, session);
addGoLiveCommands(program, session);
addMoneyCommands(program, session);
addPlanCommands(program, session);
addTestClockCommands(program, session);
addInspectionCommands(program, session);
addOperatorCommands(program, session);

// The reader of the output, such as head, may close the pipe early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  throw error;
});
try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CliError)) throw error;
  console.error(`${error.code}: ${error.message}`);
  process.exitCode = 1;
}
