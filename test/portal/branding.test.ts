import test from 'ava';
import { type Service, startService } from '../helpers/service.ts';
import { textOf } from './helpers/browser.ts';
import { partnerBrowser } from './helpers/people.ts';
import { portalOf, type SomePortal } from './helpers/portal.ts';

let service: Service;
let portal: SomePortal;
test.before(async () => {
  service = await startService();
  portal = await portalOf(service);
});
test.after.always(() => service?.stop());

const path = '/branding/edit';

/** An owner, and what is stored of how the partner's customers see it. */
async function ownerOf(partner = {}) {
  const { partnerId } = await service.partner({ partner });
  const owner = await partnerBrowser(portal, partnerId, 'owner');
  const stored = async () => (await service.models.partners.findById(partnerId).lean())?.branding;
  const save = async (fields: Record<string, string>) => {
    await owner.open(path);
    return await owner.submit(path, fields);
  };
  return { partnerId, owner, stored, save };
}

test('an owner chooses the language of messages, and the audit log keeps it', async (t) => {
  const { partnerId, stored, save } = await ownerOf();
  const shown = await save({ language: 'de' });
  t.regex(textOf(shown.html), /The branding is saved\..*Language of messages German/);
  t.like(await stored(), { language: 'de' });
  const entry = await service.models.auditEntries.findOne({ partnerId, action: 'branding.update' });
  t.like(entry?.details, { language: 'de' });
});

test('another language is refused', async (t) => {
  const { stored, save } = await ownerOf();
  const { status, html } = await save({ language: 'nl' });
  t.is(status, 422);
  t.regex(textOf(html), /Choose a language\./);
  t.is(await stored(), undefined);
});
