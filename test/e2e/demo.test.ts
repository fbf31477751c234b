import test from 'ava';
import { createDemoOperator } from '../../dev/demo/operator.ts';
import { playScenario } from '../../dev/demo/scenario.ts';
import { scopes } from '../../domain/partners.ts';
import { claimTokenOf } from '../helpers/claim-token.ts';
import { type OwnService, startOwnService } from '../helpers/own-service.ts';
import { activateRule } from '../helpers/service.ts';
import { operatorBrowser, partnerBrowser } from '../portal/helpers/people.ts';
import { startPortal } from '../portal/helpers/portal.ts';

let service: OwnService;
test.before(async () => {
  service = await startOwnService();
});
test.after.always(() => service?.stop());

interface DemoOutput {
  lines: string[];
  /** The pages that the demo mentions. */
  paths: string[];
  partnerId: string;
}

async function playDemo(change: { claimLink?: string } = {}): Promise<DemoOutput> {
  const lines: string[] = [];
  const paths: string[] = [];
  const live = await service.partner({ mode: 'LIVE', fundingCents: 100_000, scopes: [...scopes] });
  const { partnerId } = live;
  const tested = await live.withAnotherCredential(service.models, service.sealer, {
    mode: 'TEST',
  });
  await activateRule(service.models, { partnerId, mode: 'TEST' });
  const note = (text: string) => lines.push(text);
  await playScenario({
    baseUrl: service.baseUrl,
    test: tested,
    live,
    operator: createDemoOperator(service.adminUrl, service.adminToken),
    async claimLinkOf(rewardId) {
      const reward = await service.rewardOf(rewardId);
      const token = await claimTokenOf(service, reward.purchaseEventId);
      return change.claimLink ?? (await service.claimLink(token));
    },
    narrator: { chapter: note, step: note, happened: note, link: (_what, url) => note(url) },
    page: (_what, path) => paths.push(path),
    shortWindowSeconds: 1,
  });
  return { lines, paths, partnerId };
}

test('the demo plays the whole flow, and can be repeated', async (t) => {
  for (let time = 0; time < 2; time++) {
    const output = (await playDemo()).lines.join('\n');
    for (const word of [
      'IDEMPOTENCY_CONFLICT',
      'DUPLICATE_EXTERNAL_ORDER',
      'AVAILABLE, CLAIMED',
      'ADMIN_REVIEW',
      '409 CONFLICT',
      'EXPIRED',
      'NO_ACTION',
      '499 points, 4.99 USD',
      '%2FTEST%2F',
      '%2FLIVE%2F',
    ]) {
      t.true(output.includes(word), word);
    }
  }
});

test('every page that the demo names exists for the shop’s owner or an operator', async (t) => {
  const { paths, partnerId } = await playDemo();
  const portal = await startPortal(service);
  t.teardown(portal.stop);
  const owner = await partnerBrowser(portal, partnerId);
  const operator = await operatorBrowser(portal);
  t.true(paths.length > 10);
  for (const path of paths) {
    const browser = path.startsWith('/admin') ? operator : owner;
    t.is((await browser.open(path)).status, 200, path);
  }
});

test('the demo fails if a response breaks the contract', async (t) => {
  await t.throwsAsync(playDemo({ claimLink: await service.claimLink('nothing') }), {
    message: /the claim returned 404/,
  });
});
