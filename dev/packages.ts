import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { program } from 'commander';
import { log } from './log.ts';

const root = new URL('../', import.meta.url);

/** Packages with install scripts, and why ours does without them. */
export const needless: Record<string, string> = {
  '@swc/core':
    'checks whether its binary for this platform loads, and otherwise downloads another one that no lockfile names',
  'core-js': 'asks for donations',
  esbuild: 'replaces a small script by the binary itself, which saves some milliseconds',
  protobufjs: 'warns of version ranges',
};

/** Of the client-checking tools, those that do not work without their install scripts. */
export const needed: Record<string, string> = {
  bun: 'puts the binary for this platform, which is in the lockfile, in its place',
  node: 'downloads the binary for this platform; another version of Node than ours, only for tests of the client',
};

/** A package in package-lock.json. */
export interface Locked {
  name?: string;
  version: string;
  resolved?: string;
  integrity?: string;
  link?: true;
  /** Needed only for development. */
  dev?: true;
  hasInstallScript?: true;
}

export interface Lockfile {
  packages: Record<string, Locked>;
}

export interface Distribution {
  tarball: string;
  integrity: string;
}

export const lockfiles = [
  'package-lock.json',
  'dev/tools/clients/package-lock.json',
  'dev/model/quint/package-lock.json',
  'dev/mutations/instrumenter/package-lock.json',
] as const;

/** Whether it comes from a registry: it is neither the project, nor a workspace, nor a link. */
const isFetched = (path: string, { link }: Locked): boolean =>
  path.includes('node_modules/') && !link;

/** The packages from a registry, with their names. */
export function fetchedBy({ packages }: Lockfile): [name: string, Locked][] {
  return Object.entries(packages)
    .filter(([path, locked]) => isFetched(path, locked))
    .map(([path, locked]) => [locked.name ?? path.slice(nameAt(path)), locked]);
}

const nameAt = (path: string) => path.lastIndexOf('node_modules/') + 'node_modules/'.length;

/**
 * The lockfile with the origin and hash of each package, which npm leaves out for other platforms than the
 * one that the lockfile was made on.
 * @param lookUp the registry's entry of a version; undefined if there is none
 */
export async function completed(
  lockfile: Lockfile,
  lookUp: (name: string, version: string) => Promise<Distribution | undefined>,
): Promise<Lockfile> {
  const packages = { ...lockfile.packages };
  for (const [path, locked] of Object.entries(packages)) {
    if (!isFetched(path, locked) || (locked.resolved && locked.integrity)) continue;
    const found = await lookUp(locked.name ?? path.slice(nameAt(path)), locked.version);
    if (!found) continue;
    const { version, resolved, integrity, ...others } = locked;
    packages[path] = { version, resolved: found.tarball, integrity: found.integrity, ...others };
  }
  return { ...lockfile, packages };
}

/** A bill of materials in CycloneDX format. */
interface Bill {
  components: { 'bom-ref': string }[];
  dependencies: { ref: string; dependsOn?: string[] }[];
}

/**
 * The bill without development dependencies, as marked in the lockfile. `npm sbom --omit=dev` also leaves out
 * packages that development needs too.
 */
export function withoutDevelopment<Whole extends Bill>(bill: Whole, lockfile: Lockfile): Whole {
  const used = new Set(
    fetchedBy(lockfile)
      .filter(([, { dev }]) => !dev)
      .map(([name, { version }]) => `${name}@${version}`),
  );
  const components = bill.components.filter((one) => used.has(one['bom-ref']));
  const developmentOnly = new Set(
    bill.components.map((one) => one['bom-ref']).filter((ref) => !used.has(ref)),
  );
  const dependencies = bill.dependencies
    .filter(({ ref }) => !developmentOnly.has(ref))
    .map(({ ref, dependsOn = [] }) => ({
      ref,
      dependsOn: dependsOn.filter((one) => !developmentOnly.has(one)),
    }));
  return { ...bill, components, dependencies };
}

/**
 * Runs npm in the project's folder.
 * @returns its exit code and output, without warnings
 * @throws Error if npm cannot be started
 */
async function npm(args: string[]): Promise<[number, string]> {
  const called = process.env.npm_execpath ?? '';
  const [command, ...before] = /npm-cli\.c?js$/.test(called) ? [process.execPath, called] : ['npm'];
  const child = spawn(command as string, [...before, ...args], {
    cwd: fileURLToPath(root),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return [code ?? 1, printed];
}

async function writeBill(file: string): Promise<void> {
  const what = ['--sbom-format=cyclonedx', '--sbom-type=application'];
  const [code, printed] = await npm(['sbom', '--package-lock-only', ...what]);
  if (code !== 0) throw new Error('npm sbom failed.');
  const lockfile: Lockfile = JSON.parse(await readFile(new URL(lockfiles[0], root), 'utf8'));
  const bill = withoutDevelopment(JSON.parse(printed), lockfile);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(bill, null, 2)}\n`);
  log(`${bill.components.length} packages, in ${file}`);
}

async function completeAll(): Promise<void> {
  for (const path of lockfiles) {
    const file = new URL(path, root);
    const lockfile = await completed(JSON.parse(await readFile(file, 'utf8')), lookUp);
    await writeFile(file, `${JSON.stringify(lockfile, null, 2)}\n`);
    const lacking = fetchedBy(lockfile).filter(([, { integrity }]) => !integrity);
    log(`${path}: ${lacking.length} without a hash`);
    for (const [name, { version }] of lacking) log(`  ${name}@${version}`);
    if (lacking.length > 0) process.exitCode = 1;
  }
}

async function lookUp(name: string, version: string): Promise<Distribution | undefined> {
  const [code, printed] = await npm(['view', `${name}@${version}`, 'dist', '--json']);
  return code === 0 ? JSON.parse(printed) : undefined;
}

if (import.meta.main) {
  program.name('packages').description('The packages that the service consists of.');
  program
    .command('sbom')
    .description('Writes the bill of materials of the packages in the image, in CycloneDX format.')
    .argument('<file>')
    .action(writeBill);
  program
    .command('complete')
    .description(
      'Adds what npm left out of the lockfiles: where each package comes from, its hash.',
    )
    .action(completeAll);
  await program.parseAsync();
}
