import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The environment or, without MONGODB_URI in it, what `npm start` runs: its database and portal, with its keys, since
 * hashes are keyed and would look forged under any other. Temporal's address, which the configuration requires, is
 * not used by commands.
 */
export async function settingsOf(env: NodeJS.ProcessEnv): Promise<NodeJS.ProcessEnv> {
  const common = { TEMPORAL_ADDRESS: 'unused', ...env };
  if (env.MONGODB_URI) return common;
  const dataDir = env.DATA_DIR || '.data';
  const demo = await readJson(join(dataDir, 'demo.json'));
  const keys = await readJson(join(dataDir, 'keys.json'));
  const ofDemo = demo && {
    MONGODB_URI: demo.mongodbUri,
    PORTAL_URL: demo.portalUrl,
    AUDIT_LOG: join(dataDir, 'audit.log'),
  };
  return { ...ofDemo, ...common, ...keys };
}

async function readJson(file: string): Promise<Record<string, string> | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : JSON.parse(text);
}
