import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { promisify } from 'node:util';
import type { Resolved } from './collisions.ts';

/** What `docker inspect` says of a container, and its service. */
export interface Container {
  service: string;
  Id: string;
  Config: { Image: string; User: string; Labels: Record<string, string> };
  State: { Status: string; ExitCode: number; StartedAt: string; Health?: { Status: string } };
  HostConfig: {
    ReadonlyRootfs: boolean;
    CapAdd: string[] | null;
    CapDrop: string[] | null;
    SecurityOpt: string[] | null;
    Memory: number;
    PidsLimit: number | null;
    LogConfig: { Config: Record<string, string> };
  };
}

const settings = { ...process.env, COMPOSE_PROJECT_NAME: 'prove-compose', IMAGE: 'partner-events' };

/** Runs a command in a checkout. @throws Error with its last lines if it fails */
async function runIn(
  cwd: string,
  command: string,
  args: readonly string[],
  { env = settings, timeout }: { env?: NodeJS.ProcessEnv; timeout?: number } = {},
): Promise<string> {
  try {
    const options = { cwd, env, timeout, maxBuffer: 256 * 1024 * 1024 };
    return (await promisify(execFile)(command, [...args], options)).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    const last = `${stdout}${stderr}`.split('\n').slice(-20).join('\n');
    throw new Error(`${command} ${args.join(' ')} failed:\n${last}`, { cause: error });
  }
}

/** The deployment of a checkout, with the commands of docs/operate/install.md. */
export function createDeployment(cwd: string) {
  const docker = (...args: string[]) => runIn(cwd, 'docker', args);
  const compose = (...args: string[]) => docker('compose', ...args);

  async function containers(): Promise<Container[]> {
    const ids = (await compose('ps', '--all', '--quiet')).trim().split('\n');
    const found: Container[] = JSON.parse(await docker('inspect', ...ids));
    const label = 'com.docker.compose.service';
    return found.map((one) => ({ ...one, service: one.Config.Labels[label] ?? '' }));
  }

  return {
    compose,
    containers,
    setUp: (...args: string[]) => runIn(cwd, 'deploy/compose/setup', args),
    ctl: (...args: string[]) => runIn(cwd, 'deploy/compose/ctl', args),

    /** What Compose makes of the checkout's own .env, with every profile. */
    async resolved(): Promise<Resolved> {
      const args = ['compose', '--profile', '*', 'config', '--format', 'json'];
      return JSON.parse(await runIn(cwd, 'docker', args, { env: process.env }));
    },

    /** Runs a command of ours with the rights of a service. */
    command: (service: string, ...args: string[]) =>
      compose('run', '--rm', '--no-deps', '-T', service, 'node', ...args),

    /** Starts another process of a service, with a secret of its own. @throws Error with its last lines once it ends */
    startWith(service: string, variable: string, value: string): Promise<string> {
      const given = ['-e', `${variable}_FILE=`, '-e', `${variable}=${value}`];
      const args = ['compose', 'run', '--rm', '--no-deps', '-T', ...given, service];
      return runIn(cwd, 'docker', args, { timeout: 60_000 });
    },

    /** Which container runs for each service, and since when. */
    async starts(): Promise<Map<string, string>> {
      const found = await containers();
      return new Map(found.map(({ service, Id, State }) => [service, `${Id} ${State.StartedAt}`]));
    },

    async primary(): Promise<string> {
      const hello = ['mongosh', '--quiet', '--eval', 'print(db.hello().primary)'];
      return (await compose('exec', '-T', 'mongodb', ...hello)).trim().split(':')[0] ?? '';
    },

    /** As a person who tries it accepts Caddy's own authority. */
    async trustCaddy(): Promise<void> {
      const file = '/data/caddy/pki/authorities/local/root.crt';
      const authority = await compose('exec', '-T', 'caddy', 'cat', file);
      setDefaultCACertificates([...getCACertificates('bundled'), authority]);
    },

    /** The passwords and keys in `secrets/`. */
    async secrets(): Promise<string[]> {
      const names = await readdir(join(cwd, 'secrets'));
      const values = await Promise.all(
        names.map((name) => readFile(join(cwd, 'secrets', name), 'utf8')),
      );
      return values
        .filter((value) => value !== 'none')
        .map((value) => /:(\w+)@/.exec(value)?.[1] ?? value);
    },

    /** Those that are not their publishers'. */
    async standIns(): Promise<string[]> {
      const images = [...new Set((await containers()).map(({ Config }) => Config.Image))];
      const found = JSON.parse(await docker('image', 'inspect', ...images)) as {
        Config: { Labels: Record<string, string> | null };
      }[];
      const made = images.filter((_, index) => found[index]?.Config.Labels?.['stand-in']);
      // Ours has the label of its base.
      return made.map((image) => image.replace(/^partner-events$/, 'the images of its Dockerfile'));
    },
  };
}
