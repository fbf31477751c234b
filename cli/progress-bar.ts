import type { WriteStream } from 'node:tty';

const width = 24;
const everyMs = 100;
const wipe = '\r\u001b[K';

/** One line that is drawn anew as work goes on; nothing where there is no terminal. */
export function createProgressBar(
  out: Pick<WriteStream, 'isTTY' | 'columns' | 'write'>,
  nowMs: () => number = () => performance.now(),
) {
  let drawnAtMs = Number.NEGATIVE_INFINITY;
  let isDrawn = false;
  return {
    /** @param part how much is done, from 0 to 1 */
    show(what: string, part: number): void {
      if (!out.isTTY || nowMs() - drawnAtMs < everyMs) return;
      drawnAtMs = nowMs();
      isDrawn = true;
      const done = Math.round(width * part);
      const bar = `${'█'.repeat(done)}${'░'.repeat(width - done)}`;
      const line = `${bar} ${String(Math.floor(100 * part)).padStart(3)} %  ${what}`;
      out.write(`${wipe}${line.slice(0, (out.columns || 80) - 1)}`);
    },

    /** Takes it away, for what is printed next. */
    end(): void {
      if (isDrawn) out.write(wipe);
      isDrawn = false;
    },
  };
}
