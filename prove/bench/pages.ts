import { startSession, strengthenSession } from '../../models/identity/sessions.ts';
import { system } from '../../operations/actor.ts';
import { execute } from '../../operations/execute.ts';
import { createFirstOperator, createOperatorUser } from '../../operations/operators.ts';
import { acceptInvitation, inviteUser } from '../../operations/users.ts';
import { newId } from '../../platform/ids.ts';
import type { Answers, BenchTable } from './figures.ts';
import { errorCount } from './figures.ts';
import type { Work } from './generator.ts';
import type { Bench } from './harness.ts';
import { type BenchWorld, createWorld } from './world.ts';

const few = 100;
const warmUps = 10;
const readings = 200;

/** Whole pages and the API's reads over HTTP, one at a time, with few records and with many. */
export async function benchPages(bench: Bench): Promise<BenchTable[]> {
  const { service, isQuick, records, count, run, log } = bench;
  await service.startPortal();
  const baseUrls = [await service.startApi()];
  const world = await createWorld(bench, isQuick ? 5 : 50);
  const owner = await signInOwner(bench, world.first.partnerId);
  const operator = await signInOperator(bench);
  const bySize: Map<string, Answers>[] = [];
  let filled = 0;
  for (const size of [few, records]) {
    log(`Filling up to ${size} …`);
    await world.fill(filled, size);
    filled = size;
    const measured = new Map<string, Answers>();
    const page = (path: string, cookie: string): Work => ({
      kind: 'page',
      url: service.portalUrl + path,
      cookie,
    });
    const access = { baseUrls, ...world.first.keys.LIVE };
    const works: [string, Work][] = [
      ...partnerPages(world, size).map(([what, path]): [string, Work] => [
        `partner: ${what}`,
        page(path, owner),
      ]),
      ...(await consolePages(bench, world, size)).map(([what, path]): [string, Work] => [
        `console: ${what}`,
        page(path, operator),
      ]),
      ...['usage', 'billing'].map((what): [string, Work] => [
        `API: GET ${what}`,
        { kind: 'reads', access, pathname: `/api/v1/partner/${what}` },
      ]),
    ];
    for (const [what, work] of works) {
      await run(work, 1, warmUps);
      const answers = await run(work, 1, count(readings));
      if (errorCount(answers) > 0)
        throw new Error(`${what}: ${JSON.stringify(answers.errors)} with ${size} records`);
      measured.set(what, answers);
    }
    bySize.push(measured);
  }
  return [tableOf(bySize, [few, records])];
}

function tableOf(bySize: readonly Map<string, Answers>[], sizes: readonly number[]): BenchTable {
  const rows = [...(bySize[0]?.keys() ?? [])].map((what) => {
    const found = bySize.map((measured) => measured.get(what));
    const [first, last] = [found[0]?.p50 ?? Number.NaN, found.at(-1)?.p50 ?? Number.NaN];
    return [
      what,
      ...found.flatMap((one) => [one?.p50 ?? Number.NaN, one?.p95 ?? Number.NaN]),
      last / first,
    ];
  });
  const heads = sizes.flatMap((size) => [`p50 ms at ${size}`, `p95 ms at ${size}`]);
  return { title: 'Pages and reads', columns: ['page', ...heads, 'ratio of p50'], rows };
}

type NamedPath = [what: string, path: string];

const day = (daysAgo: number): string =>
  new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10);

function partnerPages(world: BenchWorld, size: number): NamedPath[] {
  const order = world.orderOf(2 * Math.floor(size / 4));
  return [
    ['home', '/home'],
    ['log, first page', '/events'],
    ['log of one mode', '/events?mode=TEST'],
    ['log of one type', '/events?type=REFUND'],
    ['log of refusals', '/events?code=REFUSED'],
    ['log of an order', `/events?order=${order}`],
    ['log of days', `/events?from=${day(1)}&to=${day(0)}`],
    ['search by order', `/find?q=${order}`],
    ['search without results', '/find?q=no+such+thing'],
    ['rewards', '/orders'],
    ['rewards of one state', '/orders?status=EXPIRED'],
    ['rewards of an order', `/orders?order=${order}`],
    ['funding', '/funding'],
    ['usage', '/usage'],
    ['billing', '/invoices'],
  ];
}

async function consolePages(
  { service }: Bench,
  world: BenchWorld,
  size: number,
): Promise<NamedPath[]> {
  const externalOrderId = world.orderOf(2 * Math.floor(size / 4));
  const { partnerId } = world.first;
  const of = { partnerId, externalOrderId };
  const event = await service.deps.models.orderEvents.findOne(of).orFail();
  const search = (what: string) => `/admin/search?q=${encodeURIComponent(what)}`;
  return [
    ['home', '/admin'],
    ['reviews', '/admin/reviews'],
    ['reviews of one mode', '/admin/reviews?mode=TEST'],
    ['reviews of one partner', `/admin/reviews?partner=${partnerId}`],
    ['search by order', search(externalOrderId)],
    ['search by event', search(event._id)],
    ['search by workflow', search(event.workflowId)],
    ['search by an unknown id', search(newId('event'))],
    ['requests', '/admin/requests'],
    ['requests of a day', `/admin/requests?from=${day(0)}&to=${day(0)}`],
    ['rewards', '/admin/rewards'],
    ['rewards awaiting funding', '/admin/rewards?status=AWAITING_FUNDING'],
    ['rewards of one partner', `/admin/rewards?partner=${partnerId}`],
    ['partners', '/admin/partners'],
    ['a partner', `/admin/partners/${partnerId}`],
    ['ledger', '/admin/ledger'],
    ['audit log', '/admin/audit'],
    ['approvals', '/admin/approvals'],
  ];
}

async function signInOwner(bench: Bench, partnerId: string): Promise<string> {
  const { deps } = bench.service;
  const { _id: invitationId } = await execute(
    { ...deps, sendMessage: async () => undefined, log: console },
    inviteUser,
    system('seed'),
    { partnerId, email: 'owner@bench.example', role: 'owner' },
  );
  const owner = await execute(deps, acceptInvitation, system('seed'), {
    invitationId,
    name: 'An owner',
    password: 'correct horse battery',
  });
  return await signIn(bench, owner._id);
}

async function signInOperator(bench: Bench): Promise<string> {
  const { deps } = bench.service;
  const ada = { name: 'Ada', role: 'admin' as const };
  const { operator } = await execute(deps, createFirstOperator, system('seed'), ada);
  const { _id } = await createOperatorUser(deps, operator, { email: 'ada@bench.example' });
  return await signIn(bench, _id);
}

/** @returns the cookie of a signed-in user who has given the second factor, as every operator must */
async function signIn({ service }: Bench, userId: string): Promise<string> {
  const { session } = await startSession(service.deps, {
    userId,
    signedInBy: 'PASSWORD',
    userAgent: 'bench',
    address: '127.0.0.1',
  });
  return `session=${await strengthenSession(service.deps, session)}`;
}
