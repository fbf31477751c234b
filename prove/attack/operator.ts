import { randomUUID } from 'node:crypto';
import type { Attempt } from './attempt.ts';

interface ApiResponse {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: every route has its own response
  body: any;
}

type SendRequest = (
  method: string,
  path: string,
  body?: object,
  token?: string,
) => Promise<ApiResponse>;

/** What an admin attempts with their token. */
interface OperatorAttempt {
  threat: string;
  method: 'POST' | 'PATCH' | 'DELETE';
  path: string;
  body?: object;
  /** The statuses that refuse it; 202 is a proposal, which is withdrawn. */
  refusals: readonly number[];
  keepsProposal?: true;
}

/** Asks the operators’ API. @param own the token, unless a request names another */
export const senderTo =
  (adminUrl: string, own: string): SendRequest =>
  async (method, path, body, token = own) => {
    const response = await fetch(adminUrl + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text };
  };

/**
 * What one operator cannot do alone, attempted with one admin's token.
 * @param partnerId a LIVE partner; by default the newest
 */
export async function operatorAttempts(
  adminUrl: string,
  token: string,
  partnerId: string | undefined,
): Promise<Attempt[]> {
  const ask = senderTo(adminUrl, token);
  const chosen = partnerId ?? (await livePartner(ask));
  const attempts = await attemptsAt(ask, chosen);
  const anotherPuppet = await attemptPuppets(ask);
  return [
    ...attempts.map((one) => ({ threat: one.threat, attempt: () => runAttempt(ask, one) })),
    suspensionLifted(ask),
    anotherPuppet,
  ];
}

async function livePartner(ask: SendRequest): Promise<string> {
  const { body } = await ask('GET', '/partners?limit=100');
  const live = body.items?.find((one: { goLiveState: string }) => one.goLiveState === 'LIVE');
  if (!live) throw new Error('There is no LIVE partner. Name one with --partner.');
  return live.partnerId;
}

async function attemptsAt(ask: SendRequest, partnerId: string): Promise<OperatorAttempt[]> {
  const itemsOf = async (path: string) => (await ask('GET', path)).body.items ?? [];
  const me = (await ask('GET', '/operators/me')).body.operatorId;
  const { currency } = (await ask('GET', `/partners/${partnerId}`)).body;
  const ofPartner = `/partners/${partnerId}`;
  const [integration] = await itemsOf(`${ofPartner}/integrations`);
  const integrationId = integration?.integrationId;
  const others = (await itemsOf('/operators')).filter(
    (one: { operatorId: string; revokedAt: string | null }) =>
      one.operatorId !== me && one.revokedAt === null,
  );
  const other = others[0];
  const lower = others.find((one: { role: string }) => one.role !== 'admin');
  const isLive = ({ mode }: { mode: string }) => mode === 'LIVE';
  const active = (await itemsOf(`${ofPartner}/earning-rules`)).find(
    (one: { mode: string; active: boolean }) => isLive(one) && one.active,
  );
  const key = (await itemsOf(`${ofPartner}/credentials`)).find(
    (one: { mode: string; revokedAt: string | null }) => isLive(one) && one.revokedAt === null,
  );
  const reward = (await itemsOf(`/rewards?partner=${partnerId}&limit=100`)).find(isLive);
  const rule = { mode: 'LIVE', currency, kind: 'FIXED', points: 1 };
  const drafted = (await ask('POST', `${ofPartner}/earning-rules`, rule)).body.ruleId;
  const money = { amountCents: 100, externalReference: `attack ${randomUUID()}` };
  const email = `${randomUUID()}@attack.example`;
  const otherCurrency = currency === 'JPY' ? 'USD' : 'JPY';
  const post = (
    threat: string,
    path: string,
    body: object,
    refusals: number[],
  ): OperatorAttempt => ({
    threat,
    method: 'POST',
    path,
    body,
    refusals,
  });
  const change = (threat: string, body: object, refusals: number[]): OperatorAttempt => ({
    threat,
    method: 'PATCH',
    path: ofPartner,
    body,
    refusals,
  });
  const proposed = await ask('POST', `${ofPartner}/top-ups`, { ...money, currency });
  const proposalId = proposed.body.proposal?.proposalId;
  return [
    {
      ...post('top up a partner’s funds', `${ofPartner}/top-ups`, { ...money, currency }, [202]),
      keepsProposal: true,
    },
    post('approve one’s own proposal', `/proposals/${proposalId}/approval`, {}, [403]),
    post('top up without a currency', `${ofPartner}/top-ups`, money, [400]),
    post(
      'top up in another currency',
      `${ofPartner}/top-ups`,
      { ...money, currency: otherCurrency },
      [409],
    ),
    change('change the currency of a pending proposal', { currency: otherCurrency }, [409]),
    change('raise the maximum value of a point', { maxPointMicros: 1_000_000_000 }, [202]),
    change('raise the maximum value of a reward', { maxRewardCents: 100_000_000_000 }, [202]),
    change(
      'rename a partner to a link, for its customers’ emails',
      { name: 'Prizes at https://attack.example' },
      [400],
    ),
    change('set a partner live directly', { goLiveState: 'LIVE' }, [400]),
    post(
      'draft a rule with a point value above the contract’s',
      `${ofPartner}/earning-rules`,
      { ...rule, pointValueMicros: 1_000_000_000 },
      [400],
    ),
    post('activate a LIVE rule', `/earning-rules/${drafted}/activate`, {}, [202]),
    ...(active
      ? [post('deactivate a LIVE rule', `/earning-rules/${active.ruleId}/deactivate`, {}, [202])]
      : []),
    post('invite an owner', `${ofPartner}/invitations`, { email }, [202]),
    post(
      'invite a developer of a LIVE partner',
      `${ofPartner}/invitations`,
      { email, role: 'developer' },
      [202],
    ),
    change('rename a LIVE partner', { name: `Attack ${randomUUID().slice(0, 8)}` }, [202]),
    change('change the website of a LIVE partner', { website: 'https://attack.example' }, [202]),
    ...(integration?.delivery === 'SERVICE'
      ? [
          {
            ...change('keep claim links from LIVE customers', { delivery: 'PARTNER' }, [202]),
            path: `${ofPartner}/integrations/${integrationId}`,
          },
        ]
      : []),
    post(
      'create a LIVE key',
      `${ofPartner}/credentials`,
      { mode: 'LIVE', integrationId, scopes: ['events:write'] },
      [202],
    ),
    ...(key
      ? [post('get a secret of a LIVE key', `/credentials/${key.credentialId}/secrets`, {}, [202])]
      : []),
    ...(reward
      ? [
          post(
            'use the test clock in LIVE',
            `/rewards/${reward.rewardId}/test-clock`,
            { move: 'CLAIM' },
            [...[400, 403, 409]],
          ),
          post(
            'erase a customer',
            `/customers/${reward.customerId}/erasure`,
            { reference: randomUUID() },
            [202],
          ),
          post(
            'redeem more points than a customer has',
            `/customers/${reward.customerId}/redemptions`,
            { points: Number.MAX_SAFE_INTEGER, reference: randomUUID() },
            [202, 409],
          ),
        ]
      : []),
    post('create another admin', '/operators', { name: 'Puppet', role: 'admin', email }, [202]),
    post(
      'create an operator without an address',
      '/operators',
      { name: 'P', role: 'viewer' },
      [400],
    ),
    post('confirm oneself', `/operators/${me}/confirmation`, {}, [403]),
    ...(other
      ? [post('get another operator’s token', `/operators/${other.operatorId}/tokens`, {}, [404])]
      : []),
    ...(lower
      ? [
          {
            threat: 'raise another operator’s role',
            method: 'PATCH' as const,
            refusals: [202],
            path: `/operators/${lower.operatorId}`,
            body: { role: 'admin' },
          },
        ]
      : []),
  ];
}

/** Runs an attempt, withdraws any proposal, and returns the outcome. */
async function runAttempt(
  ask: SendRequest,
  { method, path, body, refusals, keepsProposal }: OperatorAttempt,
) {
  const { status, body: answer } = await ask(method, path, body);
  const unknown = await ask(method, path, body, 'admin_nobody');
  const proposalId = status === 202 ? answer.proposal?.proposalId : undefined;
  if (proposalId && !keepsProposal) await withdraw(ask, proposalId);
  // An unknown id proves nothing about permissions.
  return {
    answer: status,
    isRefused: refusals.includes(status) && [401, 404].includes(unknown.status),
  };
}

const withdraw = (ask: SendRequest, proposalId: string) =>
  ask('POST', `/proposals/${proposalId}/rejection`, { reason: 'only tried' });

/** Suspending stops money, so one can; lifting it starts money again. */
function suspensionLifted(ask: SendRequest): Attempt {
  return {
    threat: 'lift a suspension',
    async attempt() {
      const { partnerId } = (await ask('POST', '/partners', { name: 'Suspended by an attack' }))
        .body;
      await ask('PATCH', `/partners/${partnerId}`, { status: 'SUSPENDED' });
      const { status, body } = await ask('PATCH', `/partners/${partnerId}`, { status: 'ACTIVE' });
      if (status === 202) await withdraw(ask, body.proposal.proposalId);
      return { answer: status, isRefused: status === 202 };
    },
  };
}

/** Approving one puppet must not approve another of the same name. */
async function attemptPuppets(ask: SendRequest): Promise<Attempt> {
  const propose = async () => {
    const email = `${randomUUID()}@attack.example`;
    const { status, body } = await ask('POST', '/operators', {
      name: 'Puppet',
      role: 'admin',
      email,
    });
    return { status, proposal: body.proposal ?? {}, email };
  };
  return {
    threat: 'get an operator approved, and create another with the same name and role',
    async attempt() {
      const [one, other] = [await propose(), await propose()];
      for (const { proposal } of [one, other]) await withdraw(ask, proposal.proposalId);
      const isApart = one.proposal.proposalId !== other.proposal.proposalId;
      const isShown = JSON.stringify(other.proposal.facts).includes(other.email);
      return { answer: other.status, isRefused: other.status === 202 && isApart && isShown };
    },
  };
}
