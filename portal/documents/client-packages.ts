import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../platform/config.ts';
import { sha256Hex } from '../../platform/hashing.ts';

/** A client as one file, which partners download from the portal and install. */
export interface ClientPackage {
  language: 'TypeScript' | 'Python' | 'PHP';
  /** Its file; package managers read name and version from it. */
  name: string;
  type: string;
  /** Commands that install the file from the folder that it is in. */
  install: string;
}

const manifest = new URL('../../clients/typescript/package.json', import.meta.url);
/** All three have the same. */
const { version }: { version: string } = JSON.parse(readFileSync(manifest, 'utf8'));

const phpFile = `partner-events-php-${version}.zip`;

export const clientPackages: readonly ClientPackage[] = [
  {
    language: 'TypeScript',
    name: `partner-events-${version}.tgz`,
    type: 'application/gzip',
    install: `npm install ./partner-events-${version}.tgz`,
  },
  {
    language: 'Python',
    name: `partner_events-${version}-py3-none-any.whl`,
    type: 'application/zip',
    install: `pip install ./partner_events-${version}-py3-none-any.whl`,
  },
  {
    language: 'PHP',
    name: phpFile,
    type: 'application/zip',
    install: [
      `unzip -q ${phpFile} -d partner-events`,
      "[ -f composer.json ] || echo '{}' > composer.json # in your project's folder",
      `composer config repositories.partner-events '{"type":"path","url":"partner-events","options":{"symlink":false}}'`,
      `composer require partner-events/client:${version}`,
    ].join('\n'),
  },
];

let read: Promise<Map<string, { file: Buffer; sha256: string }>> | undefined;

/** Reads the packages once. @returns by their names; empty if they were not built ahead of time */
export function readClientPackages({ command }: Pick<Config, 'command'>) {
  read ??= load(command.clientPackages);
  return read;
}

async function load(folder: string | undefined) {
  if (folder === undefined) return new Map<string, never>();
  const files = clientPackages.map(async ({ name }) => {
    const file = await readFile(join(folder, name));
    return [name, { file, sha256: sha256Hex(file) }] as const;
  });
  return new Map(await Promise.all(files));
}
