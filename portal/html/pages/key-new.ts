import type { Mode } from '../../../domain/mode.ts';
import type { PageContext } from '../../context.ts';
import type { Filled } from '../../forms/submit.ts';
import { baseOf } from '../../routing/key-modes.ts';
import { emptyState, linkButton } from '../components.ts';
import { type Choice, form, select } from '../form.ts';
import { html } from '../html.ts';
import { keyCrumbs } from '../keys.ts';
import { type Page, page } from '../view.ts';

const titleOf = (mode: Mode): string => `Generate ${mode} key`;

export function noLiveKeyYetPage(): Page {
  return page(
    { title: titleOf('LIVE'), crumbs: keyCrumbs() },
    emptyState(
      'LIVE keys require go-live',
      'They create real rewards, which you pay for, so you can generate them only once your go-live is approved.',
      linkButton('/go-live', 'See what is missing'),
    ),
  );
}

export function noIntegrationYetPage(mode: Mode): Page {
  return page(
    { title: titleOf(mode), crumbs: keyCrumbs(), mode },
    emptyState(
      'A key belongs to an integration',
      'Create one first: it only needs a name.',
      linkButton('/integrations/new', 'New integration'),
    ),
  );
}

export function newKeyPage(
  ctx: PageContext<'partner'>,
  mode: Mode,
  integrations: readonly Choice[],
  filled: Filled,
): Page {
  return page(
    {
      title: titleOf(mode),
      crumbs: keyCrumbs(),
      mode,
      lead: 'The next page shows the secret, once. Have your secret store ready.',
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: `${baseOf(mode)}/new`, submit: `Generate ${mode} key`, filled },
      select({
        name: 'integrationId',
        label: 'Integration',
        filled,
        choices: integrations,
      }),
      select({
        name: 'scopes',
        label: 'The key can',
        filled,
        chosen: 'both',
        hint: 'Events are purchases and refunds. Reading covers plans, usage and billing.',
        choices: [
          { value: 'both', text: 'Send events and read' },
          { value: 'write', text: 'Send events' },
          { value: 'read', text: 'Read' },
        ],
      }),
    )}</div>`,
  );
}
