import { existsSync, readFileSync } from 'node:fs';

/** A test file that has ended. */
export interface FinishedFile {
  /** Below `test/`, without its ending: `portal/keys`. */
  name: string;
  seconds: number;
  /** Of processor time, of the process that ran it, meanwhile. */
  cpuSeconds: number;
}

/**
 * What the test processes say as a file ends (`test-process.ts`): a line each, in a file
 * that they append to, since ava's reports do not tell where one ends.
 */
export class FinishedFiles {
  private readonly path: string;
  private read = 0;

  constructor(path: string) {
    this.path = path;
  }

  /** Those that ended since it was last asked. */
  next(): FinishedFile[] {
    if (!existsSync(this.path)) return [];
    const lines = readFileSync(this.path, 'utf8').split('\n').slice(this.read, -1);
    this.read += lines.length;
    return lines.map((line): FinishedFile => JSON.parse(line));
  }
}
