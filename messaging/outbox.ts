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

/**
 * Writes a message to the outbox; again, it overwrites the file.
 * @param dataKeyId of what the mail was made from; null for a message that is not a customer's
 */
export async function writeToOutbox(
  outboxDir: string,
  { id, dataKeyId, kind }: { id: string; dataKeyId: string | null; kind: 'eml' | 'txt' },
  message: Buffer,
): Promise<void> {
  await mkdir(outboxDir, { recursive: true, mode: 0o700 });
  const path = join(outboxDir, dataKeyId === null ? `${id}.${kind}` : `${id}.${dataKeyId}.${kind}`);
  await writeFile(`${path}.part`, message, { mode: 0o600 });
  await rename(`${path}.part`, path);
}

/** The customers' messages in the outbox; none where there is no outbox yet. */
export async function listCopies(outboxDir: string): Promise<MessageCopy[]> {
  const files = await readdir(outboxDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return files.flatMap((file) => {
    const dataKeyId = copyName.exec(file)?.[1];
    return dataKeyId === undefined ? [] : [{ file, dataKeyId }];
  });
}

export async function removeCopy(outboxDir: string, { file }: MessageCopy): Promise<void> {
  await rm(join(outboxDir, file), { force: true });
}
