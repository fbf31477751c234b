import { setTimeout as delay } from 'node:timers/promises';
import { startSession } from '../../models/identity/sessions.ts';
import type { Models } from '../../models/schemas/index.ts';
import { system } from '../../operations/actor.ts';
import { execute } from '../../operations/execute.ts';
import { createOperatorUser } from '../../operations/operators/create-operator-user.ts';
import { acceptInvitation } from '../../operations/users/accept-invitation.ts';
import { inviteUser } from '../../operations/users/invite.ts';
import type { Config } from '../../platform/config.ts';
import { createSealer } from '../../platform/sealing.ts';
import { isBreakdown } from '../prove-crash/send.ts';
import type { Traffic } from '../prove-crash/traffic.ts';

/** Somebody who is signed in, and what they look at. */
interface PageReader {
  cookie: string;
  paths: readonly string[];
}

/** What became of the pages. */
export interface PagesRead {
  shown: number;
  /** Times 503, or no answer. */
  away: number;
  /** Answers that nobody should get. */
  faults: string[];
}

const ofPartner = ['/home', '/events', '/rewards', '/usage', '/billing', '/funding', '/webhooks'];
const ofOperators = [
  ...['/admin', '/admin/partners', '/admin/reviews', '/admin/rewards', '/admin/ledger'],
  ...['/admin/requests', '/admin/audit'],
];
const pauseMs = 400;
const patienceMs = 10_000;

/** Signs an owner of the partner in, and an operator. */
export async function signInReaders(
  config: Config,
  models: Models,
  partnerId: string,
): Promise<PageReader[]> {
  const deps = {
    ...{ models, config, sealer: createSealer(config.masterKeys), now: () => Date.now() },
    sendMessage: async () => undefined,
  };
  const invitation = await execute(deps, inviteUser, system('seed'), {
    ...{ partnerId, email: 'owner@example.com', role: 'owner' },
  });
  const owner = await execute(deps, acceptInvitation, system('seed'), {
    ...{ invitationId: invitation._id, name: 'Owner', password: 'correct horse battery' },
  });
  const admin = await models.operators.findOne().orFail().lean();
  const operator = await createOperatorUser(deps, admin, { email: 'operator@example.com' });
  const cookieOf = async (userId: string) => {
    const { token } = await startSession(deps, {
      ...{ userId, signedInBy: 'PASSWORD', userAgent: 'prover', address: '127.0.0.1' },
    });
    return `session=${token}`;
  };
  return [
    { cookie: await cookieOf(owner._id), paths: ofPartner },
    { cookie: await cookieOf(operator._id), paths: ofOperators },
  ];
}

/** Each reader opens one page after the other, until they are stopped. */
export function startPageReads(
  portalUrl: string,
  readers: readonly PageReader[],
): Traffic & { read: PagesRead } {
  const read: PagesRead = { shown: 0, away: 0, faults: [] };
  let isOver = false;
  const open = async (path: string, cookie: string): Promise<void> => {
    const answer = await fetch(portalUrl + path, {
      ...{ headers: { cookie }, redirect: 'manual' },
      signal: AbortSignal.timeout(patienceMs),
    })
      .then(async (response) => ({ status: response.status, text: await response.text() }))
      .catch(() => undefined);
    if (answer?.status === 200) read.shown += 1;
    else if (answer === undefined || answer.status === 503) read.away += 1;
    else {
      const what = isBreakdown(answer) ? `: ${answer.text.slice(0, 300)}` : '';
      read.faults.push(`the page ${path} was answered ${answer.status}${what}`);
    }
  };
  const everyone = readers.map(async ({ cookie, paths }) => {
    for (let turn = 0; !isOver; turn++) {
      await open(paths[turn % paths.length] ?? '', cookie);
      await delay(pauseMs);
    }
  });
  return {
    read,
    async stop() {
      isOver = true;
      await Promise.all(everyone);
    },
  };
}
