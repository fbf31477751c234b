import { defaultLanguage, languages } from '../../../domain/languages.ts';
import type { PageContext } from '../../context.ts';
import { emptyForm, type Filled, filledWith } from '../../forms/submit.ts';
import { hasPermission } from '../../middleware/authorize.ts';
import { languageNames } from '../../words/language-words.ts';
import { facts, linkButton, section } from '../components.ts';
import { form, select } from '../form.ts';
import { html, nothing } from '../html.ts';
import { type Page, page } from '../view.ts';

/** What customers see of a partner. */
export function brandingPage({ state: { viewer } }: PageContext<'partner'>): Page {
  const { name, branding } = viewer.partner;
  return page(
    {
      title: 'Branding',
      lead: 'What your customers see of you, in their messages and on the claim page.',
      actions: hasPermission(viewer, 'partner.update')
        ? linkButton('/branding/edit', 'Edit the branding', 'secondary')
        : nothing,
    },
    section(
      'Shown to customers',
      facts([
        ['Name', html`${name} · <a href="/profile">Profile</a>`],
        ['Language of messages', languageNames[branding?.language ?? defaultLanguage]],
      ]),
    ),
  );
}

export function editBrandingPage(ctx: PageContext<'partner'>, filled: Filled = emptyForm): Page {
  const { branding } = ctx.state.viewer.partner;
  const shown = filled === emptyForm ? filledWith({ ...branding }) : filled;
  return page(
    { title: 'Edit the branding', crumbs: [['Branding', '/branding']] },
    html`<div class="card narrow">${form(
      ctx,
      { action: '/branding/edit', submit: 'Save the branding', filled },
      select({
        ...{ name: 'language', label: 'Language of messages', filled: shown },
        choices: languages.map((value) => ({ value, text: languageNames[value] })),
        hint: 'Of emails and text messages to your customers. The claim page speaks the language of their browser, and a message about claimed points the one they claimed in.',
      }),
    )}</div>`,
  );
}
