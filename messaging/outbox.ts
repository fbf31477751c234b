import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A copy of a customer's message in the outbox. */
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
 * Writes a message to the outbox. A repeat overwrites the file.
 * @param purchaseEventId the purchase whose contact it goes to; null for messages to anyone but customers
 * @param linkEndsAt when the link in the message expires
 */
export async function writeToOutbox(
  outboxDir: string,
  {
    id,
    purchaseEventId,
    linkEndsAt,
    kind,
  }: { id: string; purchaseEventId: string | null; linkEndsAt?: Date; kind: 'eml' | 'txt' },
  message: Buffer,
): Promise<void> {
  await mkdir(outboxDir, { recursive: true, mode: 0o700 });
  const until = linkEndsAt && `until-${Math.ceil(linkEndsAt.getTime() / 1_000)}`;
  const name = [id, until, purchaseEventId, kind].filter((part) => part != null).join('.');
  const path = join(outboxDir, name);
  // The same message may be written twice at once.
  const part = `${path}.${randomUUID()}.part`;
  await writeFile(part, message, { mode: 0o600 });
  await rename(part, path);
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
    const purchaseEventId = copyName.exec(file)?.[1];
    return purchaseEventId === undefined ? [] : [{ file, purchaseEventId }];
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
