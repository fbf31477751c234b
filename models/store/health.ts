import type { Models } from '../schemas/index.ts';

/** Whether MongoDB answers. */
export async function isDatabaseReachable({ connection }: Models): Promise<boolean> {
  await connection.db?.command({ ping: 1 });
  return connection.readyState === 1;
}

/** Whether approvals were ever switched off. */
export async function wereApprovalsOff({ auditEntries }: Models): Promise<boolean> {
  return (await auditEntries.exists({ isAlone: true })) !== null;
}
