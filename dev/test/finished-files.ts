import { existsSync, readFileSync } from 'node:fs';

/** A test file that has ended. */
export interface FinishedFile {
  /** The path below `test/`, without the extension: `portal/keys`. */
  name: string;
  seconds: number;
  /** CPU time of its process while it ran. */
  cpuSeconds: number;
}

/**
 * The test files that have ended. Test processes (`test-process.ts`) append a line for each to a file,
 * because ava's reports do not show where a test file ends.
 */
export class FinishedFiles {
  private readonly path: string;
  private read = 0;

  constructor(path: string) {
    this.path = path;
  }

  /** The files that have ended since the last call. */
  next(): FinishedFile[] {
    if (!existsSync(this.path)) return [];
    const lines = readFileSync(this.path, 'utf8').split('\n').slice(this.read, -1);
    this.read += lines.length;
    return lines.map((line): FinishedFile => JSON.parse(line));
  }
}
