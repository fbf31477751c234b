import { trackedFiles } from './instrument.ts';

/** A part of the code to mutate, with its tests. */
export interface MutatedPart {
  name: string;
  /** The files to mutate. */
  holds: (file: string) => boolean;
  /** The test files to run, all with servers; null for the pure tests. */
  isTest: ((file: string) => boolean) | null;
}

const signature = ['signature', 'canonical'].map((name) => `clients/typescript/${name}.ts`);

/** The random walks take longer than all other files together. */
const ledgerTests = /^test\/(models\/(ledger|rewards)|activities)\/(?!.*properties).*\.test\.ts$/;

/** Beside the activities' own tests: those in which workflows run them. The slowest files are left out. */
const throughWorkflows = [
  'portal/points',
  ...['notices', 'operators-notices', 'webhooks'].map((name) => `worker/${name}`),
  ...['jobs', 'reconciliation', 'reviews'].map((name) => `workflows/${name}`),
].map((name) => `test/${name}.test.ts`);
const activityTests = /^test\/activities\/(?!money\/(properties|races)).*\.test\.ts$/;

export const mutatedParts: readonly MutatedPart[] = [
  { name: 'domain', holds: (file) => /^domain\/.*\.ts$/.test(file), isTest: null },
  { name: 'signature', holds: (file) => signature.includes(file), isTest: null },
  {
    name: 'models/ledger',
    holds: (file) => /^models\/ledger\/.*\.ts$/.test(file),
    isTest: (file) => ledgerTests.test(file),
  },
  {
    name: 'activities',
    holds: (file) => /^activities\/.*\.ts$/.test(file),
    isTest: (file) => activityTests.test(file) || throughWorkflows.includes(file),
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

export async function testsOf({ isTest }: MutatedPart): Promise<string[]> {
  return isTest === null ? [] : (await trackedFiles()).filter(isTest);
}
