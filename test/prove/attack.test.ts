import { execFile } from 'node:child_process';
import test from 'ava';
import { scopes } from '../../domain/partners.ts';
import { startAnotherAdminApi } from '../helpers/another-api.ts';
import { anotherOperator } from '../helpers/operator.ts';
import { type OwnService, startOwnService } from '../helpers/own-service.ts';
import { townOf } from '../helpers/town.ts';
import { configOf, startPortal, type TestPortal } from '../portal/helpers/portal.ts';

let service: OwnService;
let portal: TestPortal;
test.before(async () => {
  service = await startOwnService({ FOUR_EYES: 'on', FOUR_EYES_REDEMPTION_CENTS: '100' });
  portal = await startPortal(service);
  await anotherOperator(service, 'Vera', 'viewer');
});
test.after.always(async () => {
  await portal?.stop();
  await service?.stop();
});

/** Creates a LIVE partner with funds, a key, a rule, and a customer who has claimed a reward. */
async function aPartner(): Promise<string> {
  const partner = await service.partner({ mode: 'LIVE', fundingCents: 10_000 });
  await townOf(service).claimed(partner);
  return partner.partnerId;
}

/** Runs prove -- attack against a service, from inside and outside. @returns its exit code and output */
async function attack(adminUrl: string): Promise<{ code: number; output: string }> {
  const shop = await service.partner({ mode: 'TEST', scopes: [...scopes] });
  const args = [
    ...['prove/attack.ts', '--admin-url', adminUrl, '--token', service.adminToken],
    ...['--partner', await aPartner(), '--api-url', service.baseUrl, '--portal-url', portal.url],
    ...['--test-key', shop.key, '--test-secret', shop.secret],
  ];
  return await new Promise((resolve) => {
    execFile(process.execPath, args, (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), output: stdout + stderr });
    });
  });
}

test.serial('npm run prove -- attack finds no vulnerability, from inside or outside', async (t) => {
  const { code, output } = await attack(service.adminUrl);
  t.regex(output, /^47 attempts, 0 succeeded/m, output);
  t.is(code, 0);
});

test.serial(
  'npm run prove -- attack reports vulnerabilities where a single operator can do everything alone',
  async (t) => {
    const config = configOf(service, { FOUR_EYES: 'off' });
    const alone = await startAnotherAdminApi(service, { config });
    t.teardown(alone.stop);
    const { code, output } = await attack(alone.adminUrl);
    t.is(code, 1);
    for (const threat of [
      'top up a partner’s funds',
      'raise the maximum value of a reward',
      'deactivate a LIVE rule',
      'get a secret of a LIVE key',
      'invite a developer of a LIVE partner',
      'rename a LIVE partner',
      'keep claim links from LIVE customers',
      'lift a suspension',
      'erase a customer',
      'raise another operator’s role',
    ]) {
      t.regex(output, new RegExp(`^SUCCEEDED .*${threat}$`, 'm'), output);
    }
  },
);
