import {
  type ProvableAddress,
  provenAs,
  replyAddress,
  verifiedContact,
} from '../../../domain/partner-contact.ts';
import type { PageContext } from '../../context.ts';
import { emptyForm, type Filled } from '../../forms/submit.ts';
import { say } from '../../words/say.ts';
import { tags } from '../../words/tags.ts';
import { linkButton, notice, section } from '../components.ts';
import { field, form } from '../form.ts';
import { type Html, html, nothing } from '../html.ts';
import { type Page, page } from '../view.ts';

/** The page on which each address of the profile is verified. */
export const pathOfAddress: Record<ProvableAddress, string> = {
  contactEmail: '/profile/contact-email',
  supportEmail: '/profile/support-email',
};

/** Verifies an address of the partner's profile: a code is emailed to it and entered here. */
export function verifyAddressPage(
  ctx: PageContext<'partner'>,
  address: ProvableAddress,
  filled: Filled = emptyForm,
): Page {
  const { partner } = ctx.state.viewer;
  const path = pathOfAddress[address];
  const email = partner[address];
  const isContact = address === 'contactEmail';
  const isVerified = (isContact ? verifiedContact(partner) : replyAddress(partner)) !== null;
  const isSent = !isVerified && partner[provenAs[address].code]?.to === email;
  return page(
    {
      title: isContact ? say('contactEmail.title') : say('supportEmail.title'),
      crumbs: [[say('contactEmail.profile'), '/profile']],
      lead: isContact ? say('contactEmail.lead') : say('supportEmail.lead'),
    },
    email === null
      ? section(
          isContact ? say('contactEmail.section.noContactEmail') : say('supportEmail.section.none'),
          linkButton('/profile/edit', say('contactEmail.button'), 'primary'),
        )
      : isVerified
        ? notice('good', say('contactEmail.isVerified', { strong: tags.strong, email }))
        : [
            isSent ? codeSection(ctx, { path, email, filled }) : nothing,
            sendSection(ctx, { path, email, isSent }),
          ],
  );
}

function codeSection(
  ctx: PageContext<'partner'>,
  { path, email, filled }: { path: string; email: string; filled: Filled },
): Html {
  return section(
    say('contactEmail.section.enterTheCode'),
    form(
      ctx,
      { action: `${path}/code`, submit: say('contactEmail.submit'), filled },
      field({
        name: 'code',
        label: say('common.code'),
        filled,
        isRequired: true,
        inputmode: 'numeric',
        autocomplete: 'one-time-code',
        maxLength: 6,
        hint: say('contactEmail.code.hint', { email }),
      }),
    ),
  );
}

/** @param isSent whether a code was already sent to the address */
function sendSection(
  ctx: PageContext<'partner'>,
  { path, email, isSent }: { path: string; email: string; isSent: boolean },
): Html {
  return section(
    isSent
      ? say('contactEmail.section.didntGetCode')
      : say('contactEmail.section.verifyTheAddress'),
    form(
      ctx,
      {
        action: path,
        submit: isSent
          ? say('contactEmail.submit.sendAnother')
          : say('contactEmail.submit.sendCode'),
      },
      html`<p>${say('contactEmail.weSend', { strong: tags.strong, email })}</p>`,
    ),
  );
}
