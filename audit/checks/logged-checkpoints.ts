import { walletIdOf } from '../../domain/postings.ts';
import type { AuditCheckpointDoc } from '../../models/schemas/audit.ts';
import type { AuditDeps, Check, LoggedCheckpoint } from '../audit.ts';
import { groupIntoPages } from '../pages.ts';
import { isStillThere } from './anchors.ts';

const name = 'log: each of its checkpoints is in the database';

/**
 * Compares the database with the checkpoints recorded outside of it. A checkpoint only moves
 * forward: so the stored one is the logged one or newer, and the entry of each exists unchanged.
 * That reveals a database that was replaced by an older copy, checkpoints included.
 */
export function loggedCheckpoints(logged: AsyncIterable<LoggedCheckpoint>): Check {
  return {
    name,
    async run(deps, report) {
      report.looked(name, 0);
      for await (const lines of groupIntoPages(logged)) {
        const checked = lines.filter(
          ({ checkpoint }) =>
            deps.partnerId === undefined || checkpoint.partnerId === deps.partnerId,
        );
        const stored = await findStored(deps, checked);
        for (const { line, checkpoint } of checked) {
          const problem = await problemOf(deps, checkpoint, stored.get(walletIdOf(checkpoint)));
          if (problem === undefined) continue;
          const { partnerId, mode, seq } = checkpoint;
          const where = `partner ${partnerId}, wallet ${mode}, number ${seq}`;
          report.fault(name, `line ${line}, ${where}: ${problem}`);
        }
        report.looked(name, checked.length);
      }
    },
  };
}

type Logged = LoggedCheckpoint['checkpoint'];

async function findStored(
  { models }: AuditDeps,
  lines: readonly LoggedCheckpoint[],
): Promise<Map<string, AuditCheckpointDoc>> {
  const ids = lines.map(({ checkpoint }) => walletIdOf(checkpoint));
  const partnerIds = [...new Set(lines.map(({ checkpoint }) => String(checkpoint.partnerId)))];
  const stored = await models.auditCheckpoints.find({
    partnerId: { $in: partnerIds },
    _id: { $in: ids },
  });
  return new Map(stored.map((one) => [one._id, one]));
}

async function problemOf(
  { models, checkpoints }: AuditDeps,
  logged: Logged,
  stored: AuditCheckpointDoc | undefined,
): Promise<string | undefined> {
  if (!checkpoints.isGenuine(logged)) return 'no audit wrote this line';
  if (!stored) return 'the database has no checkpoint of this wallet';
  const { seq, hash } = stored;
  if (seq < logged.seq) return `the database has an older checkpoint, number ${seq}`;
  if (seq === logged.seq && hash !== logged.hash) return 'the database has another checkpoint';
  return (await isStillThere(models, logged)) ? undefined : 'its entry is missing or different';
}
