import { verifiedContact } from '../../../domain/partner-contact.ts';
import type { PageContext } from '../../context.ts';
import { emptyForm, type Filled } from '../../forms/submit.ts';
import { say } from '../../words/say.ts';
import { tags } from '../../words/tags.ts';
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
      title: say('contactEmail.title'),
      crumbs: [[say('contactEmail.profile'), '/profile']],
      lead: say('contactEmail.lead'),
    },
    contactEmail === null
      ? section(
          say('contactEmail.section.noContactEmail'),
          linkButton('/profile/edit', say('contactEmail.button'), 'primary'),
        )
      : isVerified
        ? notice('good', say('contactEmail.isVerified', { strong: tags.strong, contactEmail }))
        : nothing,
    isAsked
      ? section(
          say('contactEmail.section.enterTheCode'),
          form(
            ctx,
            { action: `${path}/code`, submit: say('contactEmail.submit'), filled },
            field({
              ...{
                name: 'code',
                label: say('common.code'),
                filled,
                isRequired: true,
                inputmode: 'numeric',
              },
              ...{ autocomplete: 'one-time-code', maxLength: 6 },
              hint: say('contactEmail.code.hint', { contactEmail }),
            }),
          ),
        )
      : nothing,
    contactEmail !== null && !isVerified
      ? section(
          isAsked
            ? say('contactEmail.section.didntGetCode')
            : say('contactEmail.section.verifyTheAddress'),
          form(
            ctx,
            {
              action: path,
              submit: isAsked
                ? say('contactEmail.submit.sendAnother')
                : say('contactEmail.submit.sendCode'),
            },
            html`<p>${say('contactEmail.weSend', { strong: tags.strong, contactEmail })}</p>`,
          ),
        )
      : nothing,
  );
}
