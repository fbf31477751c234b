import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { program } from 'commander';
import { log } from './log.ts';
import { withoutDevelopment } from './packages/bill.ts';
import {
  completed,
  type Distribution,
  fetchedBy,
  type Lockfile,
  lockfiles,
} from './packages/lockfile.ts';
import { npm } from './packages/npm.ts';

const root = new URL('../', import.meta.url);

/** A registry that cannot be reached is not waited for. */
const impatient = ['--fetch-retries=0', '--fetch-timeout=20000'];

program.name('packages').description('What the service is made of besides its own code.');

program
  .command('audit')
  .description(
    'Asks the registry for known vulnerabilities of what the image holds. Exits 1 when one is high or critical; a registry that does not answer is said, and no failure.',
  )
  .action(async () => {
    const [, printed] = await npm(['audit', '--omit=dev', '--json', ...impatient]);
    const report = printed.startsWith('{') ? JSON.parse(printed) : {};
    const counts = report.metadata?.vulnerabilities;
    if (!counts) {
      log(`Not asked for vulnerabilities: the registry did not answer (${report.message ?? ''}).`);
      return;
    }
    for (const [name, { severity, range }] of Object.entries<Vulnerable>(report.vulnerabilities)) {
      log(`${severity}  ${name} ${range}`);
    }
    const grave = counts.high + counts.critical;
    log(`${counts.total} known vulnerabilities, ${grave} of them high or critical.`);
    process.exitCode = grave === 0 ? 0 : 1;
  });

interface Vulnerable {
  severity: string;
  range: string;
}

program
  .command('sbom')
  .description('Writes the bill of materials of what the image holds, as CycloneDX.')
  .argument('<file>')
  .action(async (file) => {
    const what = ['--sbom-format=cyclonedx', '--sbom-type=application'];
    const [code, printed] = await npm(['sbom', '--package-lock-only', ...what]);
    if (code !== 0) throw new Error('npm sbom did not succeed.');
    const lockfile: Lockfile = JSON.parse(await readFile(new URL(lockfiles[0], root), 'utf8'));
    const bill = withoutDevelopment(JSON.parse(printed), lockfile);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `${JSON.stringify(bill, null, 2)}\n`);
    log(`${bill.components.length} packages, in ${file}`);
  });

program
  .command('complete')
  .description(
    'Asks the registry for what npm left out of the lockfiles: where each package comes from, and its integrity.',
  )
  .action(async () => {
    for (const path of lockfiles) {
      const file = new URL(path, root);
      const lockfile = await completed(JSON.parse(await readFile(file, 'utf8')), lookUp);
      await writeFile(file, `${JSON.stringify(lockfile, null, 2)}\n`);
      const lacking = fetchedBy(lockfile).filter(([, { integrity }]) => !integrity);
      log(`${path}: ${lacking.length} without integrity`);
      for (const [name, { version }] of lacking) log(`  ${name}@${version}`);
      if (lacking.length > 0) process.exitCode = 1;
    }
  });

async function lookUp(name: string, version: string): Promise<Distribution | undefined> {
  const [code, printed] = await npm(['view', `${name}@${version}`, 'dist', '--json']);
  return code === 0 ? JSON.parse(printed) : undefined;
}

await program.parseAsync();
