import { randomUUID } from 'node:crypto';
import { program } from 'commander';

/** An attempt of docs/threats.md that goes over HTTP: what one admin token asks for, and what must come of it. */
interface Attempt {
  threat: string;
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  body?: object;
  /** The answers that keep it out; 202 is a proposal, which is withdrawn. */
  kept: readonly number[];
}

interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: each route answers with something else
  body: any;
}

program
  .name('prove-attack')
  .description(
    'Tries what docs/threats.md says one operator cannot do alone, with the token of one admin against a running service (FOUR_EYES=on), and reports. It leaves drafts and withdrawn proposals behind: point it at a service of your own.',
  )
  .requiredOption('--admin-url <url>', 'the operators’ API, such as http://127.0.0.1:3001/admin/v1')
  .requiredOption('--token <token>', 'of one admin')
  .option('--partner <id>', 'a LIVE partner; without it, the newest')
  .action(async ({ adminUrl, token, partner }) => {
    const ask = askerOf(adminUrl, token);
    const partnerId = partner ?? (await livePartner(ask));
    const attempts = await attemptsAt(ask, partnerId);
    const results: boolean[] = [];
    for (const attempt of attempts) results.push(await isKeptOut(ask, attempt));
    const through = results.filter((isKept) => !isKept).length;
    process.stdout.write(`\n${attempts.length} tried, ${through} got through.\n`);
    process.exitCode = through === 0 ? 0 : 1;
  });

type Ask = (method: string, path: string, body?: object, token?: string) => Promise<Answer>;

const askerOf =
  (adminUrl: string, own: string): Ask =>
  async (method, path, body, token = own) => {
    const response = await fetch(adminUrl + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text };
  };

async function livePartner(ask: Ask): Promise<string> {
  const { body } = await ask('GET', '/partners?limit=100');
  const live = body.items?.find((one: { goLiveState: string }) => one.goLiveState === 'LIVE');
  if (!live) throw new Error('There is no LIVE partner. Say which one with --partner.');
  return live.partnerId;
}

async function attemptsAt(ask: Ask, partnerId: string): Promise<Attempt[]> {
  const me = (await ask('GET', '/operators/me')).body.operatorId;
  const { currency } = (await ask('GET', `/partners/${partnerId}`)).body;
  const integrations = (await ask('GET', `/partners/${partnerId}/integrations`)).body.items;
  const operators = (await ask('GET', '/operators')).body.items;
  const other = operators.find((one: { operatorId: string }) => one.operatorId !== me);
  const ofPartner = `/partners/${partnerId}`;
  const rule = { mode: 'LIVE', currency, kind: 'FIXED', points: 1 };
  const drafted = (await ask('POST', `${ofPartner}/earning-rules`, rule)).body.ruleId;
  const money = { amountCents: 100, externalReference: `attack ${randomUUID()}` };
  const email = `${randomUUID()}@attack.example`;
  const post = (threat: string, path: string, body: object, kept: number[]): Attempt => ({
    ...{ threat, method: 'POST', path, body, kept },
  });
  const proposed = await ask('POST', `${ofPartner}/top-ups`, { ...money, currency });
  const proposalId = proposed.body.proposal?.proposalId;
  return [
    post('put money into a partner’s funds', `${ofPartner}/top-ups`, { ...money, currency }, [202]),
    post('approve one’s own proposal', `/proposals/${proposalId}/approval`, {}, [403]),
    post('an amount without a currency', `${ofPartner}/top-ups`, money, [400]),
    post(
      'an amount in another currency',
      `${ofPartner}/top-ups`,
      { ...money, currency: currency === 'JPY' ? 'USD' : 'JPY' },
      [409],
    ),
    {
      ...{ threat: 'change the currency under a proposal', method: 'PATCH', path: ofPartner },
      ...{ body: { currency: currency === 'JPY' ? 'USD' : 'JPY' }, kept: [409] },
    },
    {
      ...{ threat: 'call a partner by a link that its customers are mailed', method: 'PATCH' },
      ...{ path: ofPartner, body: { name: 'Prizes at https://attack.example' }, kept: [400] },
    },
    {
      ...{ threat: 'raise what a point may cost', method: 'PATCH', path: ofPartner },
      ...{ body: { maxPointMicros: 1_000_000_000 }, kept: [202] },
    },
    post(
      'draft a point dearer than the contract',
      `${ofPartner}/earning-rules`,
      { ...rule, pointValueMicros: 1_000_000_000 },
      [400],
    ),
    post('activate a LIVE rule', `/earning-rules/${drafted}/activate`, {}, [202]),
    post('invite an owner', `${ofPartner}/invitations`, { email }, [202]),
    post(
      'make a LIVE key',
      `${ofPartner}/credentials`,
      { mode: 'LIVE', integrationId: integrations?.[0]?.integrationId, scopes: ['events:write'] },
      [202],
    ),
    post('make another admin', '/operators', { name: 'Puppet', role: 'admin', email }, [202]),
    post('make an operator without an address', '/operators', { name: 'P', role: 'viewer' }, [400]),
    ...(other
      ? [
          post('get another operator’s token', `/operators/${other.operatorId}/tokens`, {}, [404]),
          post('confirm oneself', `/operators/${me}/confirmation`, {}, [403]),
        ]
      : []),
  ];
}

/** Tries it, takes back what was proposed, and says what came of it. */
async function isKeptOut(ask: Ask, attempt: Attempt): Promise<boolean> {
  const { threat, method, path, body, kept } = attempt;
  const { status, body: answer } = await ask(method, path, body);
  const unknown = await ask(method, path, body, 'admin_nobody');
  const proposalId = status === 202 ? answer.proposal?.proposalId : undefined;
  if (proposalId && !threat.startsWith('put money')) {
    await ask('POST', `/proposals/${proposalId}/rejection`, { reason: 'only tried' });
  }
  // What is not there is not there for anybody.
  const isKept = kept.includes(status) && [401, 404].includes(unknown.status);
  process.stdout.write(`${isKept ? 'kept out' : 'THROUGH '}  ${status}  ${threat}\n`);
  return isKept;
}

await program.parseAsync();
