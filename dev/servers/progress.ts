import type { Log } from './binary.ts';

export interface Progress {
  add(bytes: number): void;
  end(): void;
}

/** Without a terminal, progress is printed in lines, in steps of this many percent. */
const stepPercent = 20;

/**
 * Shows a download's progress in percent and megabytes.
 * @param totalBytes as announced by the server; 0 if unknown
 */
export function createProgress(label: string, totalBytes: number, log: Log): Progress {
  const terminal = process.stdout.isTTY;
  let receivedBytes = 0;
  let shownPercent = 0;
  const text = (): string => {
    const received = `${(receivedBytes / 1e6).toFixed(1)} MB`;
    if (!totalBytes) return `${label}: ${received}`;
    return `${label}: ${percentNow()} % (${received} of ${(totalBytes / 1e6).toFixed(1)} MB)`;
  };
  const percentNow = (): number => Math.floor((100 * receivedBytes) / totalBytes);
  return {
    add(bytes) {
      receivedBytes += bytes;
      if (terminal) process.stdout.write(`\r${text()}\u001b[K`);
      else if (totalBytes && percentNow() >= shownPercent + stepPercent) {
        shownPercent = percentNow();
        log(text());
      }
    },
    end() {
      if (terminal) process.stdout.write('\n');
      else if (shownPercent < 100) log(text());
    },
  };
}
