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

/** Limits the wait for an unreachable registry. */
const impatient = ['--fetch-retries=0', '--fetch-timeout=20000'];

program.name('packages').description('The packages that the service consists of.');

program
  .command('audit')
  .description(
    'Asks the registry for known vulnerabilities of the packages in the image. Exits with 1 if one is high or critical; a registry that does not respond is reported, but is not a failure.',
  )
  .action(async () => {
    const [, printed] = await npm(['audit', '--omit=dev', '--json', ...impatient]);
    const report = printed.startsWith('{') ? JSON.parse(printed) : {};
    const counts = report.metadata?.vulnerabilities;
    if (!counts) {
      log(`Vulnerabilities unknown: the registry did not respond (${report.message ?? ''}).`);
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
  .description('Writes the bill of materials of the packages in the image, in CycloneDX format.')
  .argument('<file>')
  .action(async (file) => {
    const what = ['--sbom-format=cyclonedx', '--sbom-type=application'];
    const [code, printed] = await npm(['sbom', '--package-lock-only', ...what]);
    if (code !== 0) throw new Error('npm sbom failed.');
    const lockfile: Lockfile = JSON.parse(await readFile(new URL(lockfiles[0], root), 'utf8'));
    const bill = withoutDevelopment(JSON.parse(printed), lockfile);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `${JSON.stringify(bill, null, 2)}\n`);
    log(`${bill.components.length} packages, in ${file}`);
  });

program
  .command('complete')
  .description(
    'Adds what npm left out of the lockfiles, from the registry: where each package comes from, and its hash.',
  )
  .action(async () => {
    for (const path of lockfiles) {
      const file = new URL(path, root);
      const lockfile = await completed(JSON.parse(await readFile(file, 'utf8')), lookUp);
      await writeFile(file, `${JSON.stringify(lockfile, null, 2)}\n`);
      const lacking = fetchedBy(lockfile).filter(([, { integrity }]) => !integrity);
      log(`${path}: ${lacking.length} without a hash`);
      for (const [name, { version }] of lacking) log(`  ${name}@${version}`);
      if (lacking.length > 0) process.exitCode = 1;
    }
  });

async function lookUp(name: string, version: string): Promise<Distribution | undefined> {
  const [code, printed] = await npm(['view', `${name}@${version}`, 'dist', '--json']);
  return code === 0 ? JSON.parse(printed) : undefined;
}

await program.parseAsync();
