import { randomInt } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { throttle } from '../../platform/throttle.ts';
import { claimLinkIn } from '../demo/outbox.ts';

/** An unused claim link, and the reward that it claims. */
export interface ClaimEmail {
  name: string;
  rewardId: string;
  link: string;
}

const lookEveryMs = 250;

/**
 * The customers' emails. Half of the claim links are followed, so that rewards end in every way. The outbox
 * is read at most four times a second, however many customers wait for an email.
 */
export function openMailbox(outboxDir: string, claimed: ReadonlySet<string>) {
  const seen = new Set<string>();
  const unread: string[] = [];
  const look = throttle(lookEveryMs, Date.now, async () => {
    for (const name of await readdir(outboxDir).catch(() => [])) {
      if (seen.has(name) || !name.endsWith('.eml')) continue;
      seen.add(name);
      if (!claimed.has(rewardOf(name)) && randomInt(2) === 0) unread.push(name);
    }
  });
  return {
    /**
     * Returns the newest email first, because older purchases may be refunded already; undefined without one.
     */
    async take(): Promise<ClaimEmail | undefined> {
      await look();
      const name = unread.pop();
      if (name === undefined) return undefined;
      const link = claimLinkIn(await readFile(join(outboxDir, name), 'utf8'));
      return link === undefined ? undefined : { name, rewardId: rewardOf(name), link };
    },
    /** Puts back an email whose claim got no response, for a later attempt. */
    putBack({ name }: ClaimEmail): void {
      unread.unshift(name);
    },
  };
}

const rewardOf = (name: string): string => name.slice(0, name.indexOf('.'));
