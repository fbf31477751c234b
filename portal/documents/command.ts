import { readFile } from 'node:fs/promises';
import type { Config } from '../../platform/config.ts';
import { sha256Hex } from '../../platform/hashing.ts';

/** The partners' command as one file, which partners download from the portal and run with Node. */
export interface Command {
  file: Buffer;
  sha256: string;
}

/** Where it is downloaded. */
export const commandPath = '/partner-events.mjs';

let command: Promise<Command> | undefined;

/** Reads the command once: as it was built ahead of time, or else by bundling it. */
export function readCommand(config: Pick<Config, 'command'>): Promise<Command> {
  command ??= load(config.command.bundlePath);
  return command;
}

async function load(built: string | undefined): Promise<Command> {
  const file = built === undefined ? await bundle() : await readFile(built);
  return { file, sha256: sha256Hex(file) };
}

// The bundler is loaded only if it is needed.
const bundle = async (): Promise<Buffer> =>
  await (await import('./bundle-command.ts')).bundleCommand();
