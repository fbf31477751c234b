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

/** A run that is ended from outside takes its files with it: they would go on against servers that are gone. */
process.once('disconnect', () => process.exit(1));

const toTenths = (seconds: number): number => Math.round(seconds * 10) / 10;

/** Says when a file has ended, which ava's reports do not. */
const { TEST_PROGRESS } = process.env;
if (TEST_PROGRESS) {
  process.on('exit', () => {
    const path = relative(
      fileURLToPath(new URL('..', import.meta.url)),
      fileURLToPath(test.meta.file),
    );
    const name = path.replace(/\.test\.ts$/, '');
    const { user, system } = process.cpuUsage();
    const seconds = toTenths(performance.now() / 1_000);
    const cpuSeconds = toTenths((user + system) / 1_000_000);
    appendFileSync(TEST_PROGRESS, `${JSON.stringify({ name, seconds, cpuSeconds })}\n`);
  });
}
