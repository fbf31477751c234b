import { trackedFiles } from './instrument.ts';

/** A part of the code whose tests are tested, and what tests it. */
export interface MutatedPart {
  name: string;
  /** The files that are mutated. */
  holds: (file: string) => boolean;
  /** The test files that are asked, all with servers; null where the pure tests are. */
  asks: RegExp | null;
}

const signature = ['signature', 'canonical'].map((name) => `clients/typescript/${name}.ts`);

/** All but the random walks: they take longer than the others together. */
const withServers = /^test\/(models\/(ledger|rewards)|activities)\/(?!.*properties).*\.test\.ts$/;

export const mutatedParts: readonly MutatedPart[] = [
  { name: 'domain', holds: (file) => /^domain\/.*\.ts$/.test(file), asks: null },
  { name: 'signature', holds: (file) => signature.includes(file), asks: null },
  {
    name: 'models/ledger',
    holds: (file) => /^models\/ledger\/.*\.ts$/.test(file),
    asks: withServers,
  },
  { name: 'activities', holds: (file) => /^activities\/.*\.ts$/.test(file), asks: withServers },
];

/**
 * The files of a part that were asked for.
 * @param paths folders and files from the top of the repository; none for all
 */
export async function filesOf(part: MutatedPart, paths: readonly string[]): Promise<string[]> {
  const wanted = paths.map((path) => path.replace(/\/+$/, ''));
  const isWanted = (file: string) =>
    wanted.length === 0 || wanted.some((path) => file === path || file.startsWith(`${path}/`));
  return (await trackedFiles()).filter((file) => part.holds(file) && isWanted(file)).sort();
}

/** The test files that a part asks. */
export async function testsOf({ asks }: MutatedPart): Promise<string[]> {
  return (await trackedFiles()).filter((file) => asks?.test(file));
}
