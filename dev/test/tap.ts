export interface TestCounts {
  passed: number;
  failed: number;
}

/**
 * Parses ava's TAP report line by line. Shows failed tests with their details, or every test if verbose,
 * and takes the counts from ava's summary.
 */
export class TapReader {
  /** Titles of failed tests. */
  readonly failures: string[] = [];
  private readonly isVerbose: boolean;
  private passed: number | undefined;
  private failed: number | undefined;
  /** Whether the next lines belong to a failed test. */
  private isInFailure = false;

  constructor({ isVerbose = false } = {}) {
    this.isVerbose = isVerbose;
  }

  /** @returns the line to show; undefined for TAP syntax and passed tests */
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

  /** The counts of the run. A run has failed, too, if it exited with an error or ran no test at all. */
  counts(exitCode: number): TestCounts {
    const passed = this.passed ?? 0;
    const failed = this.failed ?? 0;
    const isBad = exitCode !== 0 || passed + failed === 0;
    return { passed, failed: isBad ? Math.max(failed, 1) : failed };
  }
}
