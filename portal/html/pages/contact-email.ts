import { verifiedContact } from '../../../domain/partner-contact.ts';
import type { PageContext } from '../../context.ts';
import { emptyForm, type Filled } from '../../forms/submit.ts';
import { linkButton, notice, section } from '../components.ts';
import { field, form } from '../form.ts';
import { html, nothing } from '../html.ts';
import { type Page, page } from '../view.ts';

const path = '/profile/contact-email';

/** The partner's contact address: a code is mailed to it, then entered. */
export function contactEmailPage(ctx: PageContext<'partner'>, filled: Filled = emptyForm): Page {
  const { partner } = ctx.state.viewer;
  const { contactEmail, contactEmailCode } = partner;
  const isVerified = verifiedContact(partner) !== null;
  const isAsked = !isVerified && contactEmailCode?.to === contactEmail;
  return page(
    {
      title: 'Contact email',
      crumbs: [['Profile', '/profile']],
      lead: 'Funding notices and TEST emails are sent there once the address is verified.',
    },
    contactEmail === null
      ? section(
          'No contact email',
          linkButton('/profile/edit', 'Enter one in the profile', 'primary'),
        )
      : isVerified
        ? notice('good', html`<strong>${contactEmail}</strong> is verified.`)
        : nothing,
    isAsked
      ? section(
          'Enter the code',
          form(
            ctx,
            { action: `${path}/code`, submit: 'Verify the address', filled },
            field({
              ...{ name: 'code', label: 'Code', filled, isRequired: true, inputmode: 'numeric' },
              ...{ autocomplete: 'one-time-code', maxLength: 6 },
              hint: `It was sent to ${contactEmail} and is valid for 10 minutes.`,
            }),
          ),
        )
      : nothing,
    contactEmail !== null && !isVerified
      ? section(
          isAsked ? 'Didn’t get a code?' : 'Verify the address',
          form(
            ctx,
            { action: path, submit: isAsked ? 'Send another code' : 'Send a code' },
            html`<p>We send a code to <strong>${contactEmail}</strong>. Until you enter it, nothing else is sent there.</p>`,
          ),
        )
      : nothing,
  );
}
