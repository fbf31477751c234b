import type { Done } from '../deeds/undertaking.ts';
import type { PageContext } from './context.ts';
import { code, linkButton, notice, section } from './html/components.ts';
import { html } from './html/html.ts';
import { adminPaths } from './html/links.ts';
import { view } from './html/view.ts';

/** What is done and made a secret: a key's, or an operator's token. */
export type Revealing = Done<
  'credential.create' | 'credential.rotate' | 'operator.create' | 'operator.rotate-token'
>;

/** Shows what was made, with its secret: in this answer alone, since none is stored in clear. */
export function showSecret(ctx: PageContext<'operator'>, { outcome }: Revealing): void {
  const isKey = 'secret' in outcome;
  const path = isKey
    ? adminPaths.CREDENTIAL + outcome.credential._id
    : adminPaths.OPERATOR + outcome.admin._id;
  view(
    ctx,
    { title: isKey ? 'Keep this secret' : 'Keep this token' },
    section(
      isKey ? 'It is made' : `For ${outcome.admin.name}`,
      notice('warn', 'This is shown now, and never again. Give it to nobody but who is to use it.'),
      isKey
        ? html`<dl class="reveal"><dt>API key</dt><dd>${code(outcome.credential.apiKey, { canCopy: true })}</dd>
<dt>Signing secret</dt><dd>${code(outcome.secret, { canCopy: true })}</dd></dl>`
        : html`<dl class="reveal"><dt>Token, for the operators’ API</dt><dd>${code(outcome.token, { canCopy: true })}</dd></dl>`,
      html`<p class="after">${linkButton(path, 'I have kept it')}</p>`,
    ),
  );
}
