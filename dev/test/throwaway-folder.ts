import { existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const memory = '/dev/shm';
/** Several times as much as the servers of a whole run write. */
const requiredBytes = 4 * 1024 ** 3;

/**
 * The folder for data that is deleted after a run: in memory if it has enough space, because every
 * response of the service waits for a disk write; otherwise the folder for temporary files.
 */
export function throwawayFolder(): string {
  if (!existsSync(memory)) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize >= requiredBytes ? memory : tmpdir();
}
