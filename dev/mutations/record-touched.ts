import { renameSync, writeFileSync } from 'node:fs';

/**
 * Loaded into each process of a test run before all else: it leaves which mutants the process touched,
 * when it ends, and, for one that goes on, when it is sent SIGUSR2; from then on it counts anew.
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
