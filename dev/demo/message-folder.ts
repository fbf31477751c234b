import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const patienceMs = 15_000;

/** The claim link in the email for a reward's customer, if already written. */
export async function mailedLink(
  messageDir: string,
  rewardId: string,
): Promise<string | undefined> {
  const files = await readdir(messageDir).catch(() => []);
  const file = files.find((name) => name.startsWith(`${rewardId}.`) && name.endsWith('.eml'));
  if (file === undefined) return undefined;
  return claimLinkIn(await readFile(join(messageDir, file), 'utf8'));
}

/** The claim link in an email's source, if there is one. */
export function claimLinkIn(mail: string): string | undefined {
  // Long lines of an email are broken with a trailing `=`.
  return /https?:\/\/\S+\/claim\/[\w-]+/.exec(mail.replace(/=\r?\n/g, ''))?.[0];
}

/**
 * Waits for the claim link in the email for a reward's customer.
 * @throws Error if no email arrives
 */
export async function eventuallyMailed(messageDir: string, rewardId: string): Promise<string> {
  const until = Date.now() + patienceMs;
  while (Date.now() < until) {
    const link = await mailedLink(messageDir, rewardId);
    if (link) return link;
    await delay(100);
  }
  throw new Error(
    `No email for ${rewardId} arrived in ${messageDir}. The demo reads the message folder, which SMTP_URL replaces.`,
  );
}
