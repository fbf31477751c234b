import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Kubernetes } from './kubernetes.ts';

const run = promisify(execFile);
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const world = here('world.yaml');
const mongodb = 'mongodb-0.mongodb.prove-mongodb.svc:27017';
const processes = ['api', 'portal', 'worker', 'migrate'];

/** Deletes what an earlier run left, and what is in the namespaces of this proof. */
export async function clearWorld({ kubectl }: Kubernetes): Promise<void> {
  const text = await readFile(world, 'utf8');
  const names = new Set([...text.matchAll(/\bprove-[a-z]+/g)].map(([name]) => name));
  await kubectl(['delete', 'namespace', ...names, '--ignore-not-found', '--timeout=5m']);
}

/**
 * Starts MongoDB and Temporal, with users and certificates as docs/operate/kubernetes.md has them, and creates the Secret of the
 * release.
 * @returns the secrets that no log may have
 */
export async function startWorld({ kubectl, apply, exec }: Kubernetes): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'prove-cluster-'));
  const password = () => randomBytes(24).toString('hex');
  const passwords = new Map(processes.map((process) => [process, password()]));
  const uriOf = (process: string) =>
    `mongodb://${process}:${passwords.get(process)}@${mongodb}/partner_events?replicaSet=rs0`;
  const root = password();
  const masterKey = randomBytes(32).toString('base64');
  const hashKey = randomBytes(32).toString('base64');
  const files: Record<string, Record<string, string>> = {
    mongodb: {
      mongodb_root_password: root,
      mongodb_key: randomBytes(128).toString('hex'),
      ...Object.fromEntries(processes.map((process) => [`mongodb_uri_${process}`, uriOf(process)])),
    },
    rewards: {
      ...Object.fromEntries(
        processes.map((process) => [`MONGODB_URI_${process.toUpperCase()}`, uriOf(process)]),
      ),
      MASTER_KEYS: `first:${masterKey}`,
      CUSTOMER_HASH_KEY: hashKey,
      SMTP_URL: 'none',
    },
  };
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(folder, name));
    for (const [file, text] of Object.entries(content)) {
      await writeFile(join(folder, name, file), text);
    }
  }
  const certificates = here('../../deploy/docker/certificates.sh');
  const [server, client] = [join(folder, 'server'), join(folder, 'client')];
  await run('sh', [certificates, server, client]);

  await kubectl(['apply', '-f', world]);
  const from = (path: string) => `--from-file=${path}`;
  const secret = ['secret', 'generic'];
  await apply(['-n', 'prove-mongodb', ...secret, 'mongodb', from(join(folder, 'mongodb'))]);
  const scripts = here('../../deploy/mongodb');
  await apply(['-n', 'prove-mongodb', 'configmap', 'mongodb', from(scripts)]);
  await apply(['-n', 'prove-temporal', ...secret, 'temporal', from(server)]);
  const settings = here('../../deploy/docker/temporal-dynamic-config.yaml');
  await apply([
    ...['-n', 'prove-temporal', 'configmap', 'temporal'],
    from(`service.yaml=${settings}`),
  ]);
  const ours = {
    TEMPORAL_TLS_CA: 'ca.pem',
    TEMPORAL_TLS_CERT: 'client.pem',
    TEMPORAL_TLS_KEY: 'client.key',
  };
  await apply([
    ...['-n', 'prove-rewards', ...secret, 'partner-events', from(join(folder, 'rewards'))],
    ...Object.entries(ours).map(([key, file]) => from(`${key}=${join(client, file)}`)),
  ]);
  await rm(folder, { recursive: true });

  for (const what of [
    'prove-mongodb statefulset/mongodb',
    'prove-temporal deployment/temporal',
    'prove-ingress deployment/caddy',
  ]) {
    const [namespace = '', object = ''] = what.split(' ');
    await kubectl(['-n', namespace, 'rollout', 'status', object, '--timeout=5m']);
  }
  const users = ['mongosh', '--quiet', '--nodb', '/mongodb/replica-set.js', '/mongodb/users.js'];
  await exec('prove-mongodb', 'mongodb-0', ...users);
  return [root, masterKey, hashKey, ...passwords.values()];
}
