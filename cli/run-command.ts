import type { Command } from 'commander';
import { ConfigError } from '../platform/config.ts';

/** Runs the command of this process. What goes wrong is said in a line; it exits with 2 for a wrong configuration. */
export async function runCommand(program: Command): Promise<void> {
  try {
    await program.parseAsync();
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = error instanceof ConfigError ? 2 : 1;
  }
}
