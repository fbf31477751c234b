import type { Mode } from '../../../domain/mode.ts';
import type { PageContext } from '../../context.ts';
import type { Filled } from '../../forms/submit.ts';
import { baseOf } from '../../routing/key-modes.ts';
import { say } from '../../words/say.ts';
import { emptyState, linkButton } from '../components.ts';
import { type Choice, form, select } from '../form.ts';
import { html } from '../html.ts';
import { keyCrumbs } from '../keys.ts';
import { type Page, page } from '../view.ts';

const titleOf = (mode: Mode): string => say('keyNew.generateAKey', { mode });

export function noLiveKeyYetPage(): Page {
  return page(
    { title: titleOf('LIVE'), crumbs: keyCrumbs() },
    emptyState(
      say('keyNew.noLiveKeyYet.empty.title'),
      say('keyNew.noLiveKeyYet.empty.text'),
      linkButton('/go-live', say('keyNew.noLiveKeyYet.button')),
    ),
  );
}

export function noIntegrationYetPage(mode: Mode): Page {
  return page(
    { title: titleOf(mode), crumbs: keyCrumbs(), mode },
    emptyState(
      say('keyNew.noIntegrationYet.empty.title'),
      say('keyNew.noIntegrationYet.empty.text'),
      linkButton('/integrations/new', say('keyNew.newIntegration')),
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
      lead: say('keyNew.newKey.lead'),
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: `${baseOf(mode)}/new`, submit: say('keyNew.newKey.submit', { mode }), filled },
      select({
        name: 'integrationId',
        label: say('common.integration'),
        filled,
        choices: integrations,
      }),
      select({
        name: 'scopes',
        label: say('keyNew.scopes'),
        filled,
        chosen: 'both',
        hint: say('keyNew.scopes.hint'),
        choices: [
          { value: 'both', text: say('keyNew.choice.both') },
          { value: 'write', text: say('keyNew.choice.write') },
          { value: 'read', text: say('keyNew.choice.read') },
        ],
      }),
    )}</div>`,
  );
}
