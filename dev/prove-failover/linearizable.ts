import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { buildGo } from '../tools/go.ts';

const run = promisify(execFile);

/** What dev/linearizability found in a history. */
export interface CheckResult {
  parts: number;
  operations: number;
  unanswered: number;
  /** How many parts had a fault planted. */
  planted: number;
  /** Those that no order of the requests explains. */
  illegal: string[];
  /** Those that an order explains but for reads made while something happened to the members, and what that was. */
  stale: { part: string; during: string[] }[];
  undecided: string[];
}

export const plantedFaults = ['lost', 'doubled', 'stale'] as const;
export type PlantedFault = (typeof plantedFaults)[number];

/** Builds what looks for an order that explains a history. @throws Error where there is no Go */
export async function buildChecker(): Promise<
  (history: string, plant?: PlantedFault) => Promise<CheckResult>
> {
  const program = await buildGo(new URL('../linearizability/', import.meta.url), 'linearizability');
  return async (history, plant) => {
    const args = plant ? ['-plant', plant, history] : [history];
    // It exits 1 where it found something, and says what.
    const { stdout } = await run(program, args).catch(
      (error: { code: unknown; stdout: string }) => {
        if (error.code === 1) return error;
        throw error;
      },
    );
    return JSON.parse(stdout);
  };
}

/** How many parts no order of all their requests explains. */
export const unexplainedCount = ({ illegal, stale }: CheckResult): number =>
  illegal.length + stale.length;

/** What is wrong with a history, or with how it was checked: a planted fault that was not found proves nothing. */
export function faultsOf(found: CheckResult, planted: Record<PlantedFault, CheckResult>): string[] {
  const unexplained = found.illegal.map((part) => `no order of requests explains ${part}`);
  const undecided = found.undecided.map((part) => `${part} took too long to check`);
  const missed = plantedFaults
    .filter(
      (plant) =>
        planted[plant].planted === 0 || unexplainedCount(planted[plant]) < planted[plant].planted,
    )
    .map(
      (plant) =>
        `of ${planted[plant].planted} planted faults (${plant}) ${unexplainedCount(planted[plant])} were found`,
    );
  return [...unexplained, ...undecided, ...missed];
}
