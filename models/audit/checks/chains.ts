import type { Check } from '../audit.ts';
import type { AuditedChain } from '../audited-chains.ts';
import { headsOf, type Placed, postingsBelow } from '../walk.ts';
import { type Link, linkChecks } from './links.ts';

/**
 * Checks every account from its newest posting down to its first. Postings added meanwhile are not
 * visited.
 */
export function chainsCheck(audited: AuditedChain): Check {
  return {
    name: `${audited.name}: chains`,
    async run(deps, report) {
      const rows = linkChecks.map((check) => ({ check, row: `${audited.name}: ${check.name}` }));
      const look = (link: Link): void => {
        for (const { check, row } of rows) {
          const problem = check.problemOf(link, audited);
          if (problem !== undefined) report.fault(row, `${nameOf(link)}: ${problem}`);
        }
      };
      for (const { row } of rows) report.looked(row, 0);
      for await (const partnerId of deps.partners()) {
        for await (const head of headsOf(audited, partnerId)) {
          let newer = head;
          let count = 1;
          for await (const older of postingsBelow(audited, head)) {
            look({ ...newer, older });
            newer = older;
            count += 1;
          }
          look({ ...newer, older: undefined });
          for (const { row } of rows) report.looked(row, count);
        }
      }
    },
  };
}

/** The name of a posting in the result, for whoever has to investigate. */
export function nameOf({ entry, posting }: Placed): string {
  const reward = entry.rewardId === null ? '' : `, reward ${entry.rewardId}`;
  return `${entry._id} (${entry.reference}), partner ${entry.partnerId}, account ${posting.account}, seq ${posting.seq}${reward}`;
}
