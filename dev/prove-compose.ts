import { spawn } from 'node:child_process';
import { lookup } from 'node:dns/promises';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { program } from 'commander';
import { log } from './log.ts';
import { proveDeployment } from './prove-compose/deployment.ts';
import { startEngine } from './prove-compose/engine.ts';
import { table } from './table.ts';

program
  .name('prove -- compose')
  .description(
    'Deploys this tree’s last commit with Docker Compose, in the profile cluster, and operates it with deploy/compose/ctl: a failover, an upgrade under load, a backup and its restore. As root it runs an engine of its own; with DOCKER_HOST, it uses that one, whose containers, images and volumes of the same names it replaces. Exits with 1 if anything is wrong.',
  )
  .parse();

if (process.env.DOCKER_HOST === undefined) process.exit(await onOwnEngine());

await lookup('api.localhost').catch(() => {
  throw new Error('Add `127.0.0.1 api.localhost` to /etc/hosts.');
});
const folder = await mkdtemp(join(tmpdir(), 'prove-compose-'));
const { rows, standIns, faults } = await proveDeployment(folder);
log(
  table(['step', 'seconds', 'succeeded', '503', 'refused', 'no response', 'longest gap, s'], rows),
);
log(`Stand-ins for: ${standIns.join(', ') || 'nothing'}.`);
for (const fault of faults) log(`  ${fault}`);
log(
  faults.length === 0
    ? 'Nothing was lost.'
    : `${faults.length} FAULTS. The checkout is kept in ${folder}.`,
);
if (faults.length === 0) await rm(folder, { recursive: true });
process.exit(faults.length === 0 ? 0 : 1);

/** Runs this script again in the network of an engine. @returns its exit code */
async function onOwnEngine(): Promise<number> {
  const engine = await startEngine();
  try {
    const [command = '', ...args] = engine.inside([process.execPath, import.meta.filename]);
    const child = spawn(command, args, { env: engine.env, stdio: 'inherit' });
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.on(signal, () => child.kill(signal));
    return await new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
  } finally {
    await engine.stop();
  }
}
