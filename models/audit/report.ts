import { setTimeout as delay } from 'node:timers/promises';
import type { AloneDoc, CheckResult } from '../schemas/audit-run.ts';

/** How many culprits of a check are named; the rest are counted. */
const maxCulprits = 20;
/** How many suspects are kept to be looked at again; beyond, something is wrong beyond doubt. */
const maxSuspects = 10_000;
const firstWaitMs = 1_000;

/** What is wrong, or not there yet. */
export interface Finding {
  text: string;
  /**
   * Since when it is marked as unfinished, so that a sweep takes it up; undefined where nothing marks it,
   * and time alone must make it right.
   */
  waitingSince?: Date | undefined;
}

/** Looks again at something that was wrong. @returns what is wrong with it now, if anything */
export type LookAgain = () => Promise<Finding | undefined>;

export interface ReportOptions {
  /** How long work in flight has to become right. */
  patienceMs: number;
  /**
   * Called often, with what is being looked at and how much of all checks is done, from 0 to 1; what it
   * throws ends the audit.
   */
  onProgress: (what: string, part: number) => void;
}

export type Report = ReturnType<typeof createReport>;

/** Collects what the checks of an audit looked at and found. */
export function createReport({ patienceMs, onProgress }: ReportOptions) {
  const rows = new Map<string, CheckResult>();
  let alone: AloneDoc | null = null;
  let suspects: { name: string; lookAgain: LookAgain }[] = [];
  let part = 0;

  function row(name: string): CheckResult {
    const existing = rows.get(name);
    if (existing) return existing;
    const fresh = {
      ...{ name, lookedAt: 0, faults: 0 },
      ...{ waiting: 0, waitingSince: null, culprits: [] },
    };
    rows.set(name, fresh);
    return fresh;
  }

  function fault(name: string, culprit: string): void {
    const { culprits } = row(name);
    row(name).faults += 1;
    if (culprits.length < maxCulprits) culprits.push(culprit);
  }

  /** Counts what is marked as unfinished. */
  function waits(name: string, since: Date): void {
    const found = row(name);
    found.waiting += 1;
    if (found.waitingSince === null || since < found.waitingSince) found.waitingSince = since;
  }

  return {
    /** Says how much of all checks is done, from 0 to 1. */
    reached(done: number): void {
      part = done;
    },

    waits,

    /** Counts what a check looked at; a check that found nothing to look at says so with 0. */
    looked(name: string, count: number): void {
      row(name).lookedAt += count;
      onProgress(`${name}: ${row(name).lookedAt}`, part);
    },

    fault,

    /** Notes that approvals were off at a time, and whether one did alone then what needs two. */
    alone(at: Date, isOperation: boolean): void {
      const { operations, from, to } = alone ?? { operations: 0, from: at, to: at };
      alone = {
        operations: operations + (isOperation ? 1 : 0),
        from: at < from ? at : from,
        to: at > to ? at : to,
      };
    },

    /** What was done alone, all together. */
    doneAlone: (): AloneDoc | null => alone,

    /**
     * Notes what would be a fault unless it is work in flight: state, entry and event of one move are
     * written one after the other. `settle` decides.
     */
    suspect(name: string, culprit: string, lookAgain: LookAgain): void {
      if (suspects.length < maxSuspects) suspects.push({ name, lookAgain });
      else fault(name, culprit);
    },

    /** Looks at the suspects again until all are right or the patience is over; the others are faults. */
    async settle(): Promise<void> {
      let leftMs = patienceMs;
      for (let waitMs = firstWaitMs; suspects.length > 0; waitMs *= 2) {
        const nextMs = Math.min(waitMs, leftMs);
        await delay(nextMs);
        leftMs -= nextMs;
        const stillWrong: typeof suspects = [];
        for (const suspect of suspects) {
          onProgress(`${suspect.name}: looking again`, 1);
          const found = await suspect.lookAgain();
          if (found === undefined) continue;
          if (found.waitingSince !== undefined) waits(suspect.name, found.waitingSince);
          else if (leftMs > 0) stillWrong.push(suspect);
          else fault(suspect.name, found.text);
        }
        suspects = stillWrong;
      }
    },

    results: (): CheckResult[] => [...rows.values()],
  };
}

/** The result in a sentence. */
export function summaryOf(
  checks: readonly CheckResult[],
  alone: AloneDoc | null = null,
  atMs = Date.now(),
): string {
  const faulty = checks.filter(({ faults }) => faults > 0);
  if (faulty.length === 0) {
    const clean = `Clean: ${checks.length} checks, no fault.`;
    return [clean, ...aloneOf(alone), ...waitingOf(checks, atMs)].join(' ');
  }
  const total = faulty.reduce((sum, { faults }) => sum + faults, 0);
  const named = faulty.map(({ name, faults, culprits }) => `${name} (${faults}): ${culprits[0]}`);
  const faults = `${total} ${total === 1 ? 'FAULT' : 'FAULTS'}. ${named.join('. ')}.`;
  return [faults, ...aloneOf(alone)].join(' ');
}

/** When approvals were off, and what one did alone that needs two: no fault, and said for ever. */
export function aloneOf(alone: AloneDoc | null | undefined): string[] {
  if (!alone) return [];
  const { operations, from, to } = alone;
  const [first, last] = [from, to].map((at) => at.toISOString().slice(0, 10));
  const when = first === last ? `on ${first}` : `between ${first} and ${last}`;
  const done =
    operations === 1
      ? '1 operation that needs two was'
      : `${operations} operations that need two were`;
  return [`Approvals were off ${when}: ${done} done by one.`];
}

/** What waits, of which one check or another may have met the same, with the age of the oldest. */
function waitingOf(checks: readonly CheckResult[], atMs: number): string[] {
  const most = checks.toSorted((one, other) => other.waiting - one.waiting)[0];
  if (most === undefined || most.waiting === 0) return [];
  const since = checks.flatMap(({ waitingSince }) => waitingSince?.getTime() ?? []);
  const seconds = Math.max(0, Math.round((atMs - Math.min(...since)) / 1_000));
  return [`Waiting, and no fault: ${most.waiting} of "${most.name}", the oldest for ${seconds} s.`];
}
