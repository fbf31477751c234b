import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const patienceMs = 15_000;

/** The claim link in the mail for a reward's customer, if it was written already. */
export async function mailedLink(outboxDir: string, rewardId: string): Promise<string | undefined> {
  const files = await readdir(outboxDir).catch(() => []);
  const file = files.find((name) => name.startsWith(`${rewardId}.`) && name.endsWith('.eml'));
  if (file === undefined) return undefined;
  return claimLinkIn(await readFile(join(outboxDir, file), 'utf8'));
}

/** The claim link in a mail as it was written, if there is one. */
export function claimLinkIn(mail: string): string | undefined {
  // A line that is too long for mail was broken with a `=` at its end.
  return /https?:\/\/\S+\/claim\/[\w-]+/.exec(mail.replace(/=\r?\n/g, ''))?.[0];
}

/**
 * The claim link in the mail that the service wrote for a reward's customer.
 * @throws Error when no mail comes
 */
export async function eventuallyMailed(outboxDir: string, rewardId: string): Promise<string> {
  const until = Date.now() + patienceMs;
  while (Date.now() < until) {
    const link = await mailedLink(outboxDir, rewardId);
    if (link) return link;
    await delay(100);
  }
  throw new Error(
    `No mail for ${rewardId} came to ${outboxDir}. With SMTP_URL set, mails go out instead; the demo reads the outbox.`,
  );
}
