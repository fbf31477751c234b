import {
  type ProvableAddress,
  provenAs,
  replyAddress,
  verifiedContact,
} from '../../../domain/customer.ts';
import type { PageContext } from '../../context.ts';
import { emptyForm, type Filled } from '../../forms/submit.ts';
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
      title: isContact ? 'Contact email' : 'Support email',
      crumbs: [['Profile', '/profile']],
      lead: isContact
        ? 'We send funding notices and TEST emails to this address once it is verified.'
        : 'Once this address is verified, customers’ replies to emails go there.',
    },
    email === null
      ? section(
          isContact ? 'No contact email' : 'No support email',
          linkButton('/profile/edit', 'Enter one in the profile', 'primary'),
        )
      : isVerified
        ? notice('good', html`<strong>${email}</strong> is verified.`)
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
    'Enter the code',
    form(
      ctx,
      { action: `${path}/code`, submit: 'Verify address', filled },
      field({
        name: 'code',
        label: 'Code',
        filled,
        isRequired: true,
        inputmode: 'numeric',
        autocomplete: 'one-time-code',
        maxLength: 6,
        hint: `It was sent to ${email} and is valid for 10 minutes.`,
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
    isSent ? 'Didn’t get a code?' : 'Verify your address',
    form(
      ctx,
      {
        action: path,
        submit: isSent ? 'Send another code' : 'Send a code',
      },
      html`<p>We send a code to <strong>${email}</strong>. Until you enter it, nothing else is sent there.</p>`,
    ),
  );
}
