import { execFile, spawnSync } from 'node:child_process';
import { appendFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** A file that frees space elsewhere frees it only briefly. */
const fillEveryMs = 100;

export type SmallDisk = Awaited<ReturnType<typeof mountSmallDisk>>;

/**
 * A separate in-memory file system that can be filled up.
 * @throws Error if file systems cannot be mounted
 */
export async function mountSmallDisk(folder: string, megabytes: number) {
  await mkdir(folder, { recursive: true });
  await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]).catch(() => {
    throw new Error('This mounts file systems: run it as root, on Linux.');
  });
  // Also after an interruption.
  const leave = () => void spawnSync('umount', ['--lazy', folder]);
  process.once('exit', leave);
  const ballast = join(folder, 'ballast');
  let isFull = false;
  let filling: Promise<void> = Promise.resolve();

  /** Until not a single byte more fits. */
  async function fillUp(): Promise<void> {
    for (let bytes = 16_777_216; bytes >= 1; ) {
      try {
        await appendFile(ballast, Buffer.alloc(bytes));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
        bytes = Math.floor(bytes / 16);
      }
    }
  }

  return {
    /** Takes all free space, and any that is freed later. */
    async fill(): Promise<void> {
      isFull = true;
      await fillUp();
      filling = (async () => {
        while (isFull) {
          await fillUp();
          await delay(fillEveryMs);
        }
      })();
    },
    async makeRoom(): Promise<void> {
      isFull = false;
      await filling;
      await rm(ballast, { force: true });
    },
    async unmount(): Promise<void> {
      isFull = false;
      await filling;
      await run('umount', ['--lazy', folder]);
      process.off('exit', leave);
    },
  };
}
