import test from 'ava';
import { createProgressBar } from '../../cli/progress-bar.ts';

function aTerminal(isTTY: boolean) {
  const written: string[] = [];
  const write = (text: string) => written.push(text) > 0;
  return { written, out: { isTTY, columns: 60, write } };
}

test('the bar shows the progress and the total in one line that fits, and disappears', (t) => {
  const { written, out } = aTerminal(true);
  let nowMs = 0;
  const bar = createProgressBar(out, () => nowMs);
  bar.show('chains', 0.25);
  bar.show('too soon', 0.3);
  nowMs += 1_000;
  bar.show('x'.repeat(100), 0.5);
  bar.end();
  t.is(written.length, 3);
  t.regex(written[0] ?? '', /█{6}░{18} {2}25 % {2}chains$/);
  t.true((written[1] ?? '').length < 70);
  t.is(written[2], '\r\u001b[K');
});

test('without a terminal no bar is drawn', (t) => {
  const { written, out } = aTerminal(false);
  const bar = createProgressBar(out);
  bar.show('chains', 0.5);
  bar.end();
  t.deepEqual(written, []);
});
