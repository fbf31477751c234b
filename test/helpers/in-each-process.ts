import { appendFileSync } from 'node:fs';
import { setSourceMapsSupport } from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';

/**
 * Loaded by ava before a test's own file: there is nothing to map, since Node reads our TypeScript as it
 * is, and to look for maps costs every test process a third of the time it takes to load.
 */
setSourceMapsSupport(false);

/** Says when a file has ended, which ava's reports do not. */
const { TEST_PROGRESS } = process.env;
if (TEST_PROGRESS) {
  process.on('exit', () => {
    const path = relative(
      fileURLToPath(new URL('..', import.meta.url)),
      fileURLToPath(test.meta.file),
    );
    const name = path.replace(/\.test\.ts$/, '');
    const seconds = Math.round(performance.now() / 100) / 10;
    appendFileSync(TEST_PROGRESS, `${JSON.stringify({ name, seconds })}\n`);
  });
}
