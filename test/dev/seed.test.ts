import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { PartnerClient } from '../../clients/typescript/index.ts';
import { type DemoFile, seedDemo } from '../../dev/seed.ts';
import { sha256Hex } from '../../platform/hashing.ts';
import { verifyPassword } from '../../platform/passwords.ts';
import { createShops } from '../../prove/support/shops.ts';
import { type OwnService, startOwnService } from '../helpers/own-service.ts';

let service: OwnService;
let dir: string;
test.before(async () => {
  service = await startOwnService({ WEBHOOK_ALLOW_LOOPBACK: 'on' }, { hasWorker: false });
  dir = await mkdtemp(join(tmpdir(), 'seed-'));
});
test.after.always(async () => {
  await service?.stop();
  await rm(dir, { recursive: true, force: true });
});

const demoFile = () => join(dir, 'demo.json');
const seed = async (): Promise<DemoFile> => {
  const { config, baseUrl, adminUrl } = service;
  const { mongodbUri } = config;
  const portalUrl = 'http://portal.example';
  const addresses = { baseUrl, adminUrl, portalUrl, temporalUi: '', mongodbUri };
  await seedDemo({ config, ...addresses, demoFile: demoFile() });
  return JSON.parse(await readFile(demoFile(), 'utf8'));
};
const liveStates = async () =>
  (await service.models.partners.find()).map(({ goLive }) => goLive.state);

test.serial('the demo partner goes live with its own TEST events, once', async (t) => {
  const demo = await seed();
  t.deepEqual(await seed(), demo);
  t.deepEqual(await liveStates(), ['LIVE']);
  const events = await service.models.orderEvents.find().sort({ _id: 1 });
  t.deepEqual(
    events.map(({ mode, type }) => [mode, type]),
    [
      ['TEST', 'PURCHASE'],
      ['TEST', 'REFUND'],
    ],
  );
  const { wallet } = await new PartnerClient({ baseUrl: demo.baseUrl, ...demo.live }).billing();
  t.is(wallet.balanceCents, 100_000_000);
});

test.serial('the demo’s owner and admin sign in; an older demo file gets new ones', async (t) => {
  const demo = await seed();
  t.is(demo.portalUrl, 'http://portal.example');
  const { tokenHash } = await service.models.accessTokens.findOne().orFail();
  t.is(tokenHash, sha256Hex(demo.accessToken));
  t.deepEqual(await seed(), demo);
  const { partnerLogin: _owner, adminLogin: _admin, portalUrl: _url, ...older } = demo;
  await writeFile(demoFile(), JSON.stringify(older));
  const renewed = await seed();
  t.like(renewed, { test: demo.test, live: demo.live, adminToken: demo.adminToken });
  for (const login of ['partnerLogin', 'adminLogin'] as const) {
    const { email, password } = renewed[login];
    t.not(password, demo[login].password);
    const user = await service.models.users.findOne({ email, disabledAt: null }).orFail();
    t.true(await verifyPassword(password, user.passwordHash ?? ''));
    t.is(user.role, login === 'partnerLogin' ? 'owner' : null);
  }
  t.is(await service.models.users.countDocuments(), 2);
});

test.serial(
  'a revoked demo key, or one with a revoked secret, is replaced at the next start',
  async (t) => {
    const demo = await seed();
    const { credentials } = service.models;
    const revokedAt = new Date();
    await credentials.updateOne({ apiKey: demo.test.key }, { $set: { revokedAt } });
    await credentials.updateOne(
      { apiKey: demo.live.key },
      { $set: { 'secrets.0.revokedAt': revokedAt } },
    );
    const renewed = await seed();
    t.deepEqual(renewed.readOnly, demo.readOnly);
    for (const mode of ['test', 'live'] as const) {
      t.not(renewed[mode].key, demo[mode].key);
      await new PartnerClient({ baseUrl: demo.baseUrl, ...renewed[mode] }).plans();
    }
    t.deepEqual(await seed(), renewed, 'replaced only once');
  },
);

test.serial('the shops of the proofs go live too, and say what they sent', async (t) => {
  const { config, models, baseUrl } = service;
  const hookUrl = 'http://127.0.0.1:9/hook';
  const { shops, sent, readers } = await createShops({ config, models, baseUrl, hookUrl });
  t.deepEqual(
    shops.map(({ name, mode }) => [name, mode]),
    [
      ['rich', 'LIVE'],
      ['rich', 'TEST'],
      ['tight', 'LIVE'],
      ['tight', 'TEST'],
    ],
  );
  t.deepEqual(
    sent.map(({ kind, response }) => [kind, response?.status]),
    [
      ['purchases', 201],
      ['refunds', 201],
      ['purchases', 201],
      ['refunds', 201],
    ],
  );
  t.is(readers.length, 2);
  t.true((await liveStates()).every((state) => state === 'LIVE'));
});
