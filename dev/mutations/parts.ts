import { trackedFiles } from './instrument.ts';

/** A part of the code to mutate, with its tests. */
export interface MutatedPart {
  name: string;
  /** The files to mutate. */
  holds: (file: string) => boolean;
  /** The test files to run, all with servers; null for the pure tests. */
  tests: RegExp | null;
}

const signature = ['signature', 'canonical'].map((name) => `clients/typescript/${name}.ts`);

/** The random walks take longer than all other files together. */
const ledgerTests = /^test\/(models\/(ledger|rewards)|activities)\/(?!.*properties).*\.test\.ts$/;

/** The slowest file is left out as well. */
const activityTests = /^test\/activities\/(?!money\/(properties|races)).*\.test\.ts$/;

export const mutatedParts: readonly MutatedPart[] = [
  { name: 'domain', holds: (file) => /^domain\/.*\.ts$/.test(file), tests: null },
  { name: 'signature', holds: (file) => signature.includes(file), tests: null },
  {
    name: 'models/ledger',
    holds: (file) => /^models\/ledger\/.*\.ts$/.test(file),
    tests: ledgerTests,
  },
  {
    name: 'activities',
    holds: (file) => /^activities\/.*\.ts$/.test(file),
    tests: activityTests,
  },
];

/**
 * The requested files of a part.
 * @param paths folders and files relative to the repository's root; empty for all
 */
export async function filesOf(part: MutatedPart, paths: readonly string[]): Promise<string[]> {
  const wanted = paths.map((path) => path.replace(/\/+$/, ''));
  const isWanted = (file: string) =>
    wanted.length === 0 || wanted.some((path) => file === path || file.startsWith(`${path}/`));
  return (await trackedFiles()).filter((file) => part.holds(file) && isWanted(file)).sort();
}

export async function testsOf({ tests }: MutatedPart): Promise<string[]> {
  return (await trackedFiles()).filter((file) => tests?.test(file));
}
