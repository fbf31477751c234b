import { log } from '../../dev/log.ts';
import { markdownTable } from '../../dev/table.ts';
import type { AvailabilityGap } from './traffic-log.ts';

/** A proof's steps in a table, and what was wrong. */
export function createSteps() {
  const rows: string[][] = [];
  const faults: string[] = [];

  const expect = (isTrue: boolean, what: string) => void (isTrue || faults.push(what));

  async function timed<T>(
    what: string,
    work: () => Promise<T>,
    counts?: (result: T) => string[],
  ): Promise<T> {
    const beganMs = performance.now();
    const result = await work();
    const seconds = ((performance.now() - beganMs) / 1_000).toFixed(1);
    rows.push([what, seconds, ...(counts?.(result) ?? ['', '', '', ''])]);
    log(rows.at(-1)?.filter(Boolean).join(', ') ?? '');
    return result;
  }

  return {
    faults,
    expect,
    timed,

    /** @param work is done while partners send requests, each of which has to get a response */
    async underTraffic(what: string, work: () => Promise<AvailabilityGap>) {
      const gap = await timed(what, work, countsOf);
      expect(gap.succeeded > 0, `${what}: no request succeeded`);
      expect(gap.silent === 0, `${what}: ${gap.silent} requests got no response`);
      const statuses = gap.refusals.join(', ');
      expect(gap.refused === 0, `${what}: ${gap.refused} requests were refused (${statuses})`);
      return gap;
    },

    table: () =>
      markdownTable(['step', 'seconds', 'succeeded', '503', 'no response', 'longest gap, s'], rows),
  };
}

function countsOf({ succeeded, unavailable, silent, longestMs }: AvailabilityGap): string[] {
  const counts = [succeeded, unavailable, silent].map(String);
  return [...counts, (longestMs / 1_000).toFixed(1)];
}
