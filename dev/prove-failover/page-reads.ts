import { setTimeout as delay } from 'node:timers/promises';
import { startSession } from '../../models/identity/sessions.ts';
import type { Models } from '../../models/schemas/index.ts';
import { system } from '../../operations/actor.ts';
import { execute } from '../../operations/execute.ts';
import { createOperatorUser } from '../../operations/operators.ts';
import { acceptInvitation, inviteUser } from '../../operations/users.ts';
import type { Config } from '../../platform/config.ts';
import { createSealer } from '../../platform/sealing.ts';
import { csrfTokenOf } from '../../portal/session/sign-in.ts';
import { isBreakdown } from '../prove-crash/send.ts';
import type { Traffic } from '../prove-crash/traffic.ts';

/** A signed-in user, and the pages they read. */
interface PageReader {
  cookie: string;
  paths: readonly string[];
  /** For an operator who exports the audit log after each round of pages: the token of their forms. */
  exportsWith?: string;
}

interface PageResponse {
  status: number;
  location: string | null;
  text: string;
}

export interface PagesRead {
  shown: number;
  /** 503 or no response. */
  away: number;
  /** Responses that nobody should get. */
  faults: string[];
}

const ofPartner = ['/home', '/events', '/rewards', '/usage', '/billing', '/funding', '/webhooks'];
const ofOperators = [
  ...['/admin', '/admin/partners', '/admin/reviews', '/admin/rewards', '/admin/ledger'],
  ...['/admin/requests', '/admin/audit', '/admin/exports'],
];
const exportPath = '/admin/audit/export';
const pauseMs = 400;
const patienceMs = 10_000;

const cookieOf = (token: string) => `session=${token}`;

/** Signs in an owner of the partner, and an operator. */
export async function signInReaders(
  config: Config,
  models: Models,
  partnerId: string,
): Promise<PageReader[]> {
  const deps = {
    models,
    config,
    sealer: createSealer(config.masterKeys),
    now: () => Date.now(),
    sendMessage: async () => undefined,
  };
  const invitation = await execute(deps, inviteUser, system('seed'), {
    partnerId,
    email: 'owner@example.com',
    role: 'owner',
  });
  const owner = await execute(deps, acceptInvitation, system('seed'), {
    invitationId: invitation._id,
    name: 'Owner',
    password: 'correct horse battery',
  });
  const admin = await models.operators.findOne().orFail();
  const operator = await createOperatorUser(deps, admin, { email: 'operator@example.com' });
  const sessionOf = async (userId: string) => {
    const { token } = await startSession(deps, {
      userId,
      signedInBy: 'PASSWORD',
      userAgent: 'prover',
      address: '127.0.0.1',
    });
    return token;
  };
  const [owners, operators] = [await sessionOf(owner._id), await sessionOf(operator._id)];
  return [
    { cookie: cookieOf(owners), paths: ofPartner },
    { cookie: cookieOf(operators), paths: ofOperators, exportsWith: csrfTokenOf(operators) },
  ];
}

/** Each reader opens one page after the other until stopped. */
export function startPageReads(
  portalUrl: string,
  readers: readonly PageReader[],
): Traffic & { read: PagesRead } {
  const read: PagesRead = { shown: 0, away: 0, faults: [] };
  let isOver = false;
  const ask = async (
    path: string,
    cookie: string,
    csrf?: string,
  ): Promise<PageResponse | undefined> => {
    const form = csrf === undefined ? {} : { method: 'POST', body: new URLSearchParams({ csrf }) };
    const answer = await fetch(portalUrl + path, {
      ...form,
      headers: { cookie },
      redirect: 'manual' as const,
      signal: AbortSignal.timeout(patienceMs),
    })
      .then(async (response) => ({
        status: response.status,
        location: response.headers.get('location'),
        text: await response.text(),
      }))
      .catch(() => undefined);
    if (answer === undefined || answer.status === 503) read.away += 1;
    return answer;
  };
  const refuse = (path: string, answer: PageResponse): void => {
    const what = isBreakdown(answer) ? `: ${answer.text.slice(0, 300)}` : '';
    read.faults.push(`the page ${path} returned ${answer.status}${what}`);
  };
  const open = async (path: string, cookie: string): Promise<void> => {
    const answer = await ask(path, cookie);
    if (answer?.status === 200) read.shown += 1;
    else if (answer && answer.status !== 503) refuse(path, answer);
  };
  /** Starts an export and opens its page, unless an earlier one is running. */
  const exportAuditLog = async (cookie: string, csrf: string): Promise<void> => {
    const answer = await ask(exportPath, cookie, csrf);
    if (answer?.status === 303 && answer.location) await open(answer.location, cookie);
    else if (answer && answer.status !== 409 && answer.status !== 503) refuse(exportPath, answer);
  };
  const everyone = readers.map(async ({ cookie, paths, exportsWith }) => {
    for (let turn = 0; !isOver; turn++) {
      await open(paths[turn % paths.length] ?? '', cookie);
      const isRoundOver = (turn + 1) % paths.length === 0;
      if (exportsWith !== undefined && isRoundOver) await exportAuditLog(cookie, exportsWith);
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
