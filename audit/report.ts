import { setTimeout as delay } from 'node:timers/promises';
import type { AloneDoc, CheckResult } from '../models/schemas/audit.ts';

/** How many faulty documents of a check are named; the rest are counted. */
const maxCulprits = 20;
/** How many suspects are rechecked; with more, there is certainly a fault. */
const maxSuspects = 10_000;
const firstWaitMs = 100;

/** A problem, or something still missing. */
export interface Finding {
  text: string;
  /**
   * Since when it is marked as pending, so that a sweep takes it up; undefined if it is not marked
   * and can only resolve itself.
   */
  waitingSince?: Date | undefined;
}

/** Checks a suspect again. @returns its problem now, if any */
export type LookAgain = () => Promise<Finding | undefined>;

export interface ReportOptions {
  /** How long work in progress has to complete. */
  patienceMs: number;
  /**
   * Called often, with what is being checked and the progress from 0 to 1. If it throws, the audit
   * ends.
   */
  onProgress: (what: string, part: number) => void;
}

export type AuditReport = ReturnType<typeof createReport>;

/** What was found so far. */
export interface Findings {
  checks: CheckResult[];
  /** When approvals were off, and what was done alone then. */
  alone: AloneDoc | null;
}

/**
 * Collects the results of an audit's checks.
 * @param earlier what the interrupted audit found that this one continues
 */
export function createReport({ patienceMs, onProgress }: ReportOptions, earlier?: Findings) {
  const rows = new Map(earlier?.checks.map((check) => [check.name, check]));
  let alone = earlier?.alone ?? null;
  let suspects: { name: string; lookAgain: LookAgain }[] = [];
  let part = 0;

  function row(name: string): CheckResult {
    const existing = rows.get(name);
    if (existing) return existing;
    const fresh = {
      name,
      lookedAt: 0,
      faults: 0,
      waiting: 0,
      waitingSince: null,
      culprits: [],
    };
    rows.set(name, fresh);
    return fresh;
  }

  function fault(name: string, culprit: string): void {
    const { culprits } = row(name);
    row(name).faults += 1;
    if (culprits.length < maxCulprits) culprits.push(culprit);
  }

  /** Counts something that is pending. */
  function waits(name: string, since: Date): void {
    const found = row(name);
    found.waiting += 1;
    if (found.waitingSince === null || since < found.waitingSince) found.waitingSince = since;
  }

  return {
    /** Reports the progress of all checks, from 0 to 1. */
    reached(done: number): void {
      part = done;
    },

    waits,

    /** Counts documents that a check read; 0 registers a check that found none. */
    looked(name: string, count: number): void {
      row(name).lookedAt += count;
      onProgress(`${name}: ${row(name).lookedAt}`, part);
    },

    fault,

    /**
     * Records that approvals were off at a given time, and whether an operation that needs two
     * operators was done alone.
     */
    alone(at: Date, isOperation: boolean): void {
      const { operations, from, to } = alone ?? { operations: 0, from: at, to: at };
      alone = {
        operations: operations + (isOperation ? 1 : 0),
        from: at < from ? at : from,
        to: at > to ? at : to,
      };
    },

    /**
     * Records a possible fault, which may also be work in progress: state, ledger entry and event
     * of a move are written one after the other. `settle` decides.
     */
    suspect(name: string, culprit: string, lookAgain: LookAgain): void {
      if (suspects.length < maxSuspects) suspects.push({ name, lookAgain });
      else fault(name, culprit);
    },

    /** Rechecks suspects until all are resolved or time is up; the rest are faults. */
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

    findings: (): Findings => ({ checks: [...rows.values()], alone }),
  };
}

/** The result as a sentence. */
export function summaryOf(
  checks: readonly CheckResult[],
  alone: AloneDoc | null = null,
  atMs = Date.now(),
): string {
  const faulty = checks.filter(({ faults }) => faults > 0);
  if (faulty.length === 0) {
    const clean = `Clean: ${checks.length} checks, no faults.`;
    return [clean, ...aloneOf(alone), ...waitingOf(checks, atMs)].join(' ');
  }
  const total = faulty.reduce((sum, { faults }) => sum + faults, 0);
  const named = faulty.map(({ name, faults, culprits }) => `${name} (${faults}): ${culprits[0]}`);
  const faults = `${total} ${total === 1 ? 'FAULT' : 'FAULTS'}. ${named.join('. ')}.`;
  return [faults, ...aloneOf(alone)].join(' ');
}

/**
 * When approvals were off, and what one operator did alone that needs two: not a fault, but
 * reported permanently.
 */
export function aloneOf(alone: AloneDoc | null | undefined): string[] {
  if (!alone) return [];
  const { operations, from, to } = alone;
  const [first, last] = [from, to].map((at) => at.toISOString().slice(0, 10));
  const when = first === last ? `on ${first}` : `between ${first} and ${last}`;
  const done =
    operations === 1
      ? '1 operation that needs two operators was'
      : `${operations} operations that need two operators were`;
  return [`Approvals were off ${when}: ${done} carried out by one.`];
}

/** What is pending, which several checks may have counted, with the age of the oldest. */
function waitingOf(checks: readonly CheckResult[], atMs: number): string[] {
  const most = checks.toSorted((one, other) => other.waiting - one.waiting)[0];
  if (most === undefined || most.waiting === 0) return [];
  const seconds = Math.max(0, Math.round((atMs - (most.waitingSince?.getTime() ?? atMs)) / 1_000));
  return [
    `Pending, which is not a fault: ${most.waiting} of "${most.name}", the oldest for ${seconds} s.`,
  ];
}
