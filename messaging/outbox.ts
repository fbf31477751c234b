import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A copy of a customer's message in the outbox. */
export interface MessageCopy {
  file: string;
  /** The data key of the customer's contact. */
  dataKeyId: string;
}

/** Names of customers' copies contain the id of the data key, and end in `.part` while being written. */
const copyName = /\.(dek_\w+)\.(?:eml|txt)(\.part)?$/;

/** Names of copies with a link contain the second in which it expires. */
const endingName = /\.until-(\d+)\.(?:eml|txt)(\.part)?$/;

/**
 * Writes a message to the outbox. A repeat overwrites the file.
 * @param dataKeyId the data key of the customer's contact; null for messages to anyone else
 * @param linkEndsAt when the link in the message expires
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
  // The process that sends links may be the only one with access to this outbox.
  if (linkEndsAt) await removeEnded(outboxDir, Date.now());
}

/** Deletes the copies whose links have expired. @returns their number */
export async function removeEnded(outboxDir: string, nowMs: number): Promise<number> {
  const ended = (await filesIn(outboxDir)).filter((file) => {
    const seconds = endingName.exec(file)?.[1];
    return seconds !== undefined && Number(seconds) * 1_000 <= nowMs;
  });
  await Promise.all(ended.map((file) => rm(join(outboxDir, file), { force: true })));
  return ended.length;
}

/** The copies of customers' messages in the outbox; empty if the folder does not exist yet. */
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
