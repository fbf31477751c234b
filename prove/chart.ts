import { program } from 'commander';
import { log } from '../dev/log.ts';
import { checkChart } from './chart/check.ts';

program
  .name('prove -- chart')
  .description(
    'Lints deploy/chart, renders it with several values, and validates each object against the OpenAPI of Kubernetes. Needs Go. Exits with 1 if anything is wrong.',
  )
  .parse();

const { rendered, problems } = await checkChart();
for (const { what, objects, unknown } of rendered) {
  log(
    `${what}: ${objects.length} objects, ${unknown.length} of other kinds than Kubernetes’ own (${unknown.join(', ') || 'none'})`,
  );
}
for (const problem of problems) log(`  ${problem}`);
log(problems.length === 0 ? 'The chart is valid.' : `${problems.length} PROBLEMS`);
process.exit(problems.length === 0 ? 0 : 1);
