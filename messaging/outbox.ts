import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A message that was written to the outbox for a customer. */
export interface MessageCopy {
  file: string;
  /** The data key that the customer's contact was sealed under. */
  dataKeyId: string;
}

/** The name of a customer's copy ends in the id of a data key, and `.part` while it is being written. */
const copyName = /\.(dek_\w+)\.(?:eml|txt)(\.part)?$/;

/** The name of a copy whose link ends has the second of its end in it. */
const endingName = /\.until-(\d+)\.(?:eml|txt)(\.part)?$/;

/**
 * Writes a message to the outbox; again, it overwrites the file.
 * @param dataKeyId of what the mail was made from; null for a message that is not a customer's
 * @param linkEndsAt when the link in it ends
 */
export async function writeToOutbox(
  outboxDir: string,
  {
    id,
    dataKeyId,
    linkEndsAt,
    kind,
  }: { id: string; dataKeyId: string | null; linkEndsAt?: Date; kind: 'eml' | 'txt' },
  message: Buffer,
): Promise<void> {
  await mkdir(outboxDir, { recursive: true, mode: 0o700 });
  const until = linkEndsAt && `until-${Math.ceil(linkEndsAt.getTime() / 1_000)}`;
  const name = [id, until, dataKeyId, kind].filter((part) => part != null).join('.');
  const path = join(outboxDir, name);
  await writeFile(`${path}.part`, message, { mode: 0o600 });
  await rename(`${path}.part`, path);
  // Whoever sends links may be alone with this outbox.
  if (linkEndsAt) await removeEnded(outboxDir, Date.now());
}

/** Removes the copies whose links have ended. @returns how many went */
export async function removeEnded(outboxDir: string, nowMs: number): Promise<number> {
  const ended = (await filesIn(outboxDir)).filter((file) => {
    const seconds = endingName.exec(file)?.[1];
    return seconds !== undefined && Number(seconds) * 1_000 <= nowMs;
  });
  await Promise.all(ended.map((file) => rm(join(outboxDir, file), { force: true })));
  return ended.length;
}

/** The customers' messages in the outbox; none where there is no outbox yet. */
export async function listCopies(outboxDir: string): Promise<MessageCopy[]> {
  return (await filesIn(outboxDir)).flatMap((file) => {
    const dataKeyId = copyName.exec(file)?.[1];
    return dataKeyId === undefined ? [] : [{ file, dataKeyId }];
  });
}

async function filesIn(outboxDir: string): Promise<string[]> {
  return await readdir(outboxDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
}

export async function removeCopy(outboxDir: string, { file }: MessageCopy): Promise<void> {
  await rm(join(outboxDir, file), { force: true });
}
