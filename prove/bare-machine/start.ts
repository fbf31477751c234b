import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Argument, program } from 'commander';
import { log } from '../../dev/log.ts';
import { buildHelm } from '../chart/helm.ts';
import { clusterImages, startCluster } from './cluster.ts';
import { startEngine } from './engine.ts';
import { home } from './home.ts';
import { docker, imagesIn } from './images.ts';
import { runToEnd } from './processes.ts';

const machines = { engine, cluster };

program
  .name('bare-machine')
  .description(
    'Runs a command, such as a proof, beside a Docker engine or a Kubernetes of one node, which it puts together where a machine has neither: as root on Debian with Go. They have a network and mounts of their own, so that nothing of this machine changes. The first time, programs and images are built: for some ten minutes, and for a cluster the better part of an hour.',
  )
  .addArgument(new Argument('<machine>', 'what to start').choices(Object.keys(machines)))
  .argument('[command...]', 'what runs beside it', [process.env.SHELL ?? 'sh'])
  .passThroughOptions()
  .action(async (machine: keyof typeof machines, command: string[]) => {
    const { env, inside, stop } = await machines[machine]();
    try {
      log(`The ${machine} runs.`);
      process.exitCode = await runToEnd(inside(command), env);
    } finally {
      await stop();
    }
  });
await program.parseAsync();

/** Has the images that the Dockerfile and Compose's default profiles name. */
async function engine() {
  const named = [
    ...(await imagesIn('Dockerfile', 'FROM')),
    ...(await imagesIn('docker-compose.yml', 'image:')),
  ];
  return await startEngine(new Set(named.filter((image) => !/^\$|prom\/|grafana/.test(image))));
}

/** Has our image as `partner-events:present` and `:next`, and those of the proof's world. */
async function cluster() {
  await buildHelm();
  const others = [...(await imagesIn('prove/cluster/world.yaml', 'image:')), ...clusterImages];
  const archive = join(home, 'images.tar');
  const builder = await startEngine([...(await imagesIn('Dockerfile', 'FROM')), ...others]);
  try {
    const ours = ['partner-events:present', 'partner-events:next'];
    const tree = fileURLToPath(new URL('../..', import.meta.url));
    for (const name of ours) {
      log(`building ${name}`);
      await docker('build', '-q', '-t', name, '--label', `name=${name}`, tree);
    }
    await docker('save', '-o', archive, ...ours, ...others);
  } finally {
    await builder.stop();
  }
  try {
    return await startCluster(archive);
  } finally {
    await rm(archive);
  }
}
