import { claimTokenOf } from '../../helpers/claim-token.ts';
import { aPurchase, type PartnerBackend, type Reply } from '../../helpers/partner-backend.ts';
import { activateRule, type Service } from '../../helpers/service.ts';
import { Browser } from './browser.ts';
import { fixtures, type Owner } from './fixtures.ts';
import { aUser, password } from './people.ts';
import type { SomePortal } from './portal.ts';

/** Text that runs wherever it gets into a page as it is: as text, in an attribute, in a script. */
export const hostileText = `'"><img src=x onerror=alert(1)><script>alert(1)</script>`;

/** Whether a page took it for markup. */
export const isTakenIn = (html: string): boolean => /<img src=x|<script>alert/i.test(html);

/**
 * A partner that has hostile text wherever it, its users or its customers can put any: what it is
 * called, what its back end sends in both modes, and what is refused. Its mark is that text.
 */
export async function hostileOwner(service: Service, portal: SomePortal): Promise<Owner> {
  const named = {
    name: hostileText,
    legalName: hostileText,
    website: `https://a.example/${hostileText}`,
  };
  const mails = {
    contactEmail: `${hostileText}@a.example`,
    supportEmail: `${hostileText}@b.example`,
  };
  const live = await service.partner({
    mode: 'LIVE',
    fundingCents: 100_000,
    partner: { ...named, ...mails },
  });
  const { partnerId } = live;
  await activateRule(service.models, { partnerId, mode: 'TEST', currency: 'USD' });
  const owner = { partnerId, mark: hostileText };
  await service.models.integrations.updateMany({ partnerId }, { $set: { name: hostileText } });
  for (const make of Object.values(fixtures)) await make(portal, owner);
  await signInFrom(portal, owner);
  const test = await live.withAnotherCredential(service.models, service.sealer, { mode: 'TEST' });
  for (const shop of [live, test]) await trade(service, shop);
  return owner;
}

/** A browser that calls itself something hostile. */
async function signInFrom(portal: SomePortal, { partnerId, mark }: Owner): Promise<void> {
  const { email } = await aUser(portal, { partnerId, name: mark });
  const browser = new Browser(portal, { 'user-agent': mark });
  await browser.open('/sign-in');
  await browser.submit('/sign-in', { email: email ?? '', password });
}

/** Purchases, refunds of what was claimed and of what was not, and requests that are refused. */
async function trade(service: Service, shop: PartnerBackend): Promise<void> {
  const accepted = async (sent: Promise<Reply>): Promise<Reply> => {
    const reply = await sent;
    if (reply.status !== 201) throw new Error(reply.text);
    return reply;
  };
  const metadata = { [hostileText]: hostileText, nested: [{ [hostileText]: hostileText }] };
  const buy = async (name: string) => {
    const externalOrderId = `${hostileText} ${name}`;
    const email = `o'hara&lt=1+${shop.mode}@customers.example`;
    const customer = { email, phone: '<img src=x onerror=alert(1)>' };
    const { body } = await accepted(
      shop.purchase(aPurchase({ externalOrderId, customer, metadata }), {
        idempotencyKey: `${hostileText.replaceAll(' ', '/')}/${name}`,
      }),
    );
    await service.rewardOf(body.reward.id);
    return { externalOrderId, eventId: body.eventId as string };
  };
  const [claimed, unclaimed] = [await buy('claimed'), await buy('unclaimed')];
  await buy('open');
  await service.claim(await claimTokenOf(service, claimed.eventId));
  for (const { externalOrderId } of [claimed, unclaimed]) {
    const externalRefundId = `${hostileText} of ${externalOrderId}`.slice(0, 160);
    await accepted(
      shop.refund({ externalOrderId, externalRefundId, reason: hostileText, metadata }),
    );
  }
  await shop.purchase(aPurchase({ externalOrderId: claimed.externalOrderId }));
  await shop.purchase({ [hostileText]: hostileText });
  await shop.purchase(hostileText);
  await shop.purchase(aPurchase(), { query: `?${encodeURIComponent(hostileText)}` });
  await shop.purchase(aPurchase(), { sentBody: hostileText });
  await shop.changed({ secret: 'another' }).purchase(aPurchase(), {
    headers: { 'X-Partner-Signature': hostileText, 'User-Agent': hostileText },
  });
  await service.flushed();
}
