import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { buildGo } from '../tools/go.ts';

const run = promisify(execFile);

/** The result of dev/linearizability for a history. */
export interface CheckResult {
  parts: number;
  operations: number;
  unanswered: number;
  /** The parts in which a fault was planted. */
  planted: number;
  /** Parts that no order of the requests explains. */
  illegal: string[];
  /** Parts that an order explains without the reads made during an event, with the event. */
  stale: { part: string; during: string[] }[];
  undecided: string[];
}

export const plantedFaults = ['lost', 'doubled', 'stale'] as const;
export type PlantedFault = (typeof plantedFaults)[number];

/** Builds the linearizability checker. @throws Error without Go */
export async function buildChecker(): Promise<
  (history: string, plant?: PlantedFault) => Promise<CheckResult>
> {
  const program = await buildGo(new URL('../linearizability/', import.meta.url), 'linearizability');
  return async (history, plant) => {
    const args = plant ? ['-plant', plant, history] : [history];
    // It exits with 1 after finding faults, and prints them.
    const { stdout } = await run(program, args).catch(
      (error: { code: unknown; stdout: string }) => {
        if (error.code === 1) return error;
        throw error;
      },
    );
    return JSON.parse(stdout);
  };
}

/** The number of parts that no order of all their requests explains. */
export const unexplainedCount = ({ illegal, stale }: CheckResult): number =>
  illegal.length + stale.length;

/** The faults of a history or its check: a planted fault that was not found proves nothing. */
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
        `only ${unexplainedCount(planted[plant])} of ${planted[plant].planted} planted faults (${plant}) were found`,
    );
  return [...unexplained, ...undecided, ...missed];
}
