import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** A program of MongoDB's database tools. @returns its file @throws Error if it is missing */
export async function databaseTool(name: string): Promise<string> {
  const found = await promisify(execFile)('which', [name]).catch(() => {
    throw new Error(`Put ${name}, of MongoDB’s database tools, on the PATH.`);
  });
  return found.stdout.trim();
}
