import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A copy of a customer's message in the message folder. */
export interface MessageCopy {
  file: string;
  /** The purchase whose contact it went to. */
  purchaseEventId: string;
}

/** Names of customers' copies contain the id of a purchase, and end in `.part` while being written. */
const copyName = /\.(evt_\w+)\.(?:eml|txt)(\.[0-9a-f-]+\.part)?$/;

/** Names of copies with a link contain the second in which it expires. */
const endingName = /\.until-(\d+)\.(?:eml|txt)(\.[0-9a-f-]+\.part)?$/;

/**
 * Writes a message to the message folder. A repeat overwrites the file.
 * @param purchaseEventId the purchase whose contact it goes to; null for messages to anyone but customers
 * @param linkEndsAt when the link in the message expires
 */
export async function writeToFolder(
  messageDir: string,
  {
    id,
    purchaseEventId,
    linkEndsAt,
    kind,
  }: { id: string; purchaseEventId: string | null; linkEndsAt?: Date; kind: 'eml' | 'txt' },
  message: Buffer,
): Promise<void> {
  await mkdir(messageDir, { recursive: true, mode: 0o700 });
  const until = linkEndsAt && `until-${Math.ceil(linkEndsAt.getTime() / 1_000)}`;
  const name = [id, until, purchaseEventId, kind].filter((part) => part != null).join('.');
  const path = join(messageDir, name);
  // The same message may be written twice at once.
  const part = `${path}.${randomUUID()}.part`;
  await writeFile(part, message, { mode: 0o600 });
  await rename(part, path);
  // The process that sends links may be the only one with access to this message folder.
  if (linkEndsAt) await removeEnded(messageDir, Date.now());
}

/** Deletes the copies whose links have expired. @returns their number */
export async function removeEnded(messageDir: string, nowMs: number): Promise<number> {
  const ended = (await filesIn(messageDir)).filter((file) => {
    const seconds = endingName.exec(file)?.[1];
    return seconds !== undefined && Number(seconds) * 1_000 <= nowMs;
  });
  await Promise.all(ended.map((file) => rm(join(messageDir, file), { force: true })));
  return ended.length;
}

/** The copies of customers' messages in the message folder; empty if the folder does not exist yet. */
export async function listCopies(messageDir: string): Promise<MessageCopy[]> {
  return (await filesIn(messageDir)).flatMap((file) => {
    const purchaseEventId = copyName.exec(file)?.[1];
    return purchaseEventId === undefined ? [] : [{ file, purchaseEventId }];
  });
}

async function filesIn(messageDir: string): Promise<string[]> {
  return await readdir(messageDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
}

export async function removeCopy(messageDir: string, { file }: MessageCopy): Promise<void> {
  await rm(join(messageDir, file), { force: true });
}
