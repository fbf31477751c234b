import type { WriteStream } from 'node:tty';

const width = 24;
const redrawMs = 100;
const wipe = '\r\u001b[K';

/** A progress bar of one line, redrawn at most every 100 ms. Draws nothing without a terminal. */
export function createProgressBar(
  out: Pick<WriteStream, 'isTTY' | 'columns' | 'write'>,
  nowMs: () => number = () => performance.now(),
) {
  let drawnAtMs = Number.NEGATIVE_INFINITY;
  let isDrawn = false;
  return {
    /** @param part the fraction that is done, from 0 to 1 */
    show(what: string, part: number): void {
      if (!out.isTTY || nowMs() - drawnAtMs < redrawMs) return;
      drawnAtMs = nowMs();
      isDrawn = true;
      const done = Math.round(width * part);
      const bar = `${'█'.repeat(done)}${'░'.repeat(width - done)}`;
      const line = `${bar} ${String(Math.floor(100 * part)).padStart(3)} %  ${what}`;
      out.write(`${wipe}${line.slice(0, (out.columns || 80) - 1)}`);
    },

    /** Removes the bar, before something else is printed. */
    end(): void {
      if (isDrawn) out.write(wipe);
      isDrawn = false;
    },
  };
}
