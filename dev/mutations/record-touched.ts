import { renameSync, writeFileSync } from 'node:fs';

/**
 * Loaded first into each process of a test run: records the mutants that the process ran, on exit, and, for a
 * long-running one, on SIGUSR2, which also resets the record.
 */
interface Switches {
  mutantCoverage?: { static: Record<string, number> };
}

const { TOUCHED_DIR } = process.env;
const switches: Switches = {};
Object.assign(globalThis, { __stryker__: switches });

function leave(): void {
  const touched = Object.keys(switches.mutantCoverage?.static ?? {});
  const path = `${TOUCHED_DIR}/${process.pid}.json`;
  writeFileSync(`${path}.part`, JSON.stringify(touched));
  renameSync(`${path}.part`, path);
  if (switches.mutantCoverage) switches.mutantCoverage.static = {};
}

if (TOUCHED_DIR) {
  process.on('exit', leave);
  process.on('SIGUSR2', leave);
}
