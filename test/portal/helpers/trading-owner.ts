import { claimTokenOf } from '../../helpers/claim-token.ts';
import { aPurchase, type PartnerBackend, type Reply } from '../../helpers/partner-backend.ts';
import { activateRule, type PartnerOverrides, type Service } from '../../helpers/service.ts';
import { Browser } from './browser.ts';
import { fixtures, type Owner } from './fixtures.ts';
import { aUser, password } from './people.ts';
import type { SomePortal } from './portal.ts';

/**
 * A partner with data of every kind in both modes, and with accepted and refused requests. Its mark is
 * wherever it, its users or its customers can enter text.
 * @param partner changes to the partner
 */
export async function tradingOwner(
  service: Service,
  portal: SomePortal,
  mark: string,
  partner: PartnerOverrides['partner'] = { name: mark },
): Promise<Owner> {
  const live = await service.partner({ mode: 'LIVE', fundingCents: 100_000, partner });
  const { partnerId } = live;
  await activateRule(service.models, { partnerId, mode: 'TEST', currency: 'USD' });
  const owner = { partnerId, mark };
  await service.models.integrations.updateMany({ partnerId }, { $set: { name: mark } });
  for (const make of Object.values(fixtures)) await make(portal, owner);
  await signInFrom(portal, owner);
  const test = await live.withAnotherCredential(service.models, service.sealer, { mode: 'TEST' });
  for (const shop of [live, test]) await trade(service, shop, mark);
  return owner;
}

/** Signs a new user in, with the mark as the browser's user agent. */
async function signInFrom(portal: SomePortal, { partnerId, mark }: Owner): Promise<void> {
  const { email } = await aUser(portal, { partnerId, name: mark });
  const browser = new Browser(portal, { 'user-agent': mark });
  await browser.open('/sign-in');
  await browser.submit('/sign-in', { email: email ?? '', password });
}

/** Sends purchases, refunds of a claimed and of an unclaimed one, and requests that are refused. */
async function trade(service: Service, shop: PartnerBackend, mark: string): Promise<void> {
  const accepted = async (sent: Promise<Reply>): Promise<Reply> => {
    const reply = await sent;
    if (reply.status !== 201) throw new Error(reply.text);
    return reply;
  };
  const metadata = { [mark]: mark, nested: [{ [mark]: mark }] };
  const buy = async (name: string) => {
    const externalOrderId = `${mark} ${name}`;
    const email = `o'hara&lt=1+${shop.mode}@customers.example`;
    const customer = { email, phone: `${mark.slice(0, 31)}1` };
    const { body } = await accepted(
      shop.purchase(aPurchase({ externalOrderId, customer, metadata }), {
        idempotencyKey: `${mark.replaceAll(' ', '/')}/${name}`,
      }),
    );
    await service.rewardOf(body.reward.id);
    return { externalOrderId, eventId: body.eventId as string };
  };
  const [claimed, unclaimed] = [await buy('claimed'), await buy('unclaimed')];
  await buy('open');
  await service.claim(await claimTokenOf(service, claimed.eventId));
  for (const { externalOrderId } of [claimed, unclaimed]) {
    const externalRefundId = `${mark} of ${externalOrderId}`.slice(0, 160);
    await accepted(shop.refund({ externalOrderId, externalRefundId, reason: mark, metadata }));
  }
  await shop.purchase(aPurchase({ externalOrderId: claimed.externalOrderId }));
  await shop.purchase({ [mark]: mark });
  await shop.purchase(mark);
  await shop.purchase(aPurchase(), { query: `?${encodeURIComponent(mark)}` });
  await shop.purchase(aPurchase(), { sentBody: mark });
  await shop.changed({ secret: 'another' }).purchase(aPurchase(), {
    headers: { 'X-Partner-Signature': mark, 'User-Agent': mark },
  });
  // Exceeds the funds, so it comes last: later LIVE purchases would wait behind it.
  const large = aPurchase({
    externalOrderId: `${mark} large`,
    order: { subtotalCents: 9_999_900 },
  });
  await accepted(shop.purchase(large));
  await service.flushed();
}
