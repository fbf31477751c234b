import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Service } from './service.ts';

/** Does not end with `\b`, because the last character may be a hyphen. */
const keyPattern = /\bv1\.[\w-]+\.[\w-]{80}(?![\w.-])/g;
const underDataKey = /\bdek_\w{26}\.([\w-]+)/g;
const underMasterKey = /\bv1\.[\w-]+\.[\w-]{80}\.[\w-]+/g;
const idPattern = /\b[A-Za-z]{3}_\w+/g;

/**
 * Everything that somebody with the database, the workflow histories, the message folder and the master keys could
 * read: the stored text, and everything sealed that any stored key can open.
 */
export async function everythingReadable(
  { models, sealer, temporal }: Pick<Service, 'models' | 'sealer' | 'temporal'>,
  messageDir: string,
): Promise<string> {
  const written: string[] = [];
  for (const { name } of await models.connection.listCollections()) {
    written.push(JSON.stringify(await models.connection.collection(name).find().toArray()));
  }
  for (const workflowId of await models.rewards.distinct('workflowId')) {
    written.push(textOf(await temporal.workflow.getHandle(workflowId).fetchHistory()));
  }
  for (const file of await readdir(messageDir).catch(() => [])) {
    written.push(file, await readFile(join(messageDir, file), 'utf8'));
  }
  const text = written.join('\n');
  const found = (pattern: RegExp, part = 0) => [
    ...new Set([...text.matchAll(pattern)].map((match) => match[part] ?? '')),
  ];
  const bodies = found(underDataKey, 1);
  const sealed = [
    ...found(underMasterKey),
    ...found(keyPattern).flatMap((key) => bodies.map((body) => `${key}.${body}`)),
  ];
  const contexts = found(idPattern);
  const opened = sealed.flatMap((one) =>
    contexts.flatMap((context) => {
      try {
        return [sealer.open(one, context)];
      } catch {
        return [];
      }
    }),
  );
  return [text, ...opened].join('\n');
}

/** All strings within a value, including payload bytes as text. */
export function textOf(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  if (value instanceof Map) return textOf([...value]);
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, inner]) => `${name}=${textOf(inner)}`)
    .join('\n');
}
