export interface TestCounts {
  passed: number;
  failed: number;
}

/**
 * Reads what ava reports in TAP, line by line: shows what failed, whole, or every test where that is
 * wished for, and takes the counts from ava's own summary.
 */
export class TapReader {
  /** Titles of what failed. */
  readonly failures: string[] = [];
  private readonly isVerbose: boolean;
  private passed: number | undefined;
  private failed: number | undefined;
  /** Whether what comes next belongs to a test that failed. */
  private isInFailure = false;

  constructor({ isVerbose = false } = {}) {
    this.isVerbose = isVerbose;
  }

  /** @returns the line to show, or undefined for one that is TAP's own affair, or of a test that passed */
  read(line: string): string | undefined {
    const test = /^(not ok|ok) \d+ - (.*)$/.exec(line);
    if (test) return this.readTest(test[1] === 'ok', test[2] ?? '');
    const summary = /^# (tests|pass|skip|fail) (\d+)$/.exec(line);
    if (summary?.[1] === 'pass') this.passed = Number(summary[2]);
    if (summary?.[1] === 'fail') this.failed = Number(summary[2]);
    if (summary || /^(TAP version 13|1\.\.\d+|---|# .* › .*|\s*(---|\.\.\.)\s*|)$/.test(line)) {
      return undefined;
    }
    return this.isVerbose || this.isInFailure ? line : undefined;
  }

  private readTest(isPassed: boolean, title: string): string | undefined {
    this.isInFailure = !isPassed;
    if (!isPassed) this.failures.push(title);
    if (isPassed && !this.isVerbose) return undefined;
    return `${isPassed ? '  ✔' : '  ✘'} ${title}`;
  }

  /**
   * What the run came to. A run that ended badly without a failed test, or that ran none at all, has
   * failed too.
   */
  counts(exitCode: number): TestCounts {
    const passed = this.passed ?? 0;
    const failed = this.failed ?? 0;
    const isBad = exitCode !== 0 || passed + failed === 0;
    return { passed, failed: isBad ? Math.max(failed, 1) : failed };
  }
}
