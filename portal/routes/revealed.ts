import { assertNever } from '../../domain/assert-never.ts';
import { takeReveal } from '../../models/reveals.ts';
import type { PageContext } from '../context.ts';
import type { PortalDeps } from '../deps.ts';
import {
  code,
  codeBlock,
  copyButton,
  emptyState,
  linkButton,
  notice,
  section,
} from '../html/components.ts';
import { html } from '../html/html.ts';
import { view } from '../html/view.ts';
import { environment, keyCrumbs, wayOnWithKey } from '../keys.ts';
import { type Reveal, revealedPath } from '../reveal.ts';
import type { Routes } from '../route-table.ts';

/** The one page that shows a secret in clear, once; no browser keeps it. */
export function revealedPages(routes: Routes, deps: PortalDeps): void {
  const { apiUrl, url } = deps.config.portal;

  routes.page({ path: revealedPath, audience: 'user', permission: null }, async (ctx) => {
    const { text, back } = await takeReveal(deps, ctx.state.viewer.session);
    if (text === null) return showGone(ctx, back);
    const what: Reveal = JSON.parse(text);
    switch (what.kind) {
      case 'KEY':
        return showKey(ctx, what, back ?? '/');
      case 'TOKEN':
        return showToken(ctx, what, back ?? '/');
      case 'ACCESS_TOKEN':
        return showAccessToken(ctx, what, back ?? '/');
      case 'CODES':
        return showCodes(ctx, what);
      default:
        return assertNever(what, 'reveal');
    }
  });

  function showKey(
    ctx: PageContext<'user'>,
    { title, mode, apiKey, secret }: Extract<Reveal, { kind: 'KEY' }>,
    back: string,
  ): void {
    const isPartners = ctx.state.viewer.kind === 'partner';
    view(
      ctx,
      { title, mode, ...(isPartners && { crumbs: [...keyCrumbs, [`${mode} key`, back]] }) },
      notice(
        'warn',
        html`<strong>This secret is shown once.</strong> We keep it sealed and cannot show it again. Store it before you leave this page; whoever has it can send in the partner’s name.`,
      ),
      section(
        'Key and secret',
        html`<dl class="reveal"><div><dt>API key</dt><dd><code>${apiKey}</code>${copyButton(apiKey)}</dd></div>
<div><dt>Secret</dt><dd><code>${secret}</code>${copyButton(secret)}</dd></div></dl>`,
      ),
      section(
        'As environment',
        codeBlock(environment(apiUrl, apiKey, secret), 'Environment variables'),
      ),
      isPartners
        ? section('Next', wayOnWithKey(ctx))
        : html`<p>${linkButton(back, 'I have kept it')}</p>`,
    );
  }

  function showAccessToken(
    ctx: PageContext<'user'>,
    { name, token }: Extract<Reveal, { kind: 'ACCESS_TOKEN' }>,
    back: string,
  ): void {
    view(
      ctx,
      { title: 'Keep this token', crumbs: [['Account', '/account']] },
      section(
        name,
        notice('warn', 'This is shown now, and never again. Whoever has it reads your log.'),
        html`<dl class="reveal"><dt>Access token</dt><dd>${code(token, { canCopy: true })}</dd></dl>`,
        codeBlock(
          `export PARTNER_PORTAL_URL=${url}\nread -rs PARTNER_TOKEN && export PARTNER_TOKEN\nnpm run partner -- listen`,
          'In your terminal',
        ),
        html`<p class="after">${linkButton(back, 'I have kept it')}</p>`,
      ),
    );
  }
}

function showToken(
  ctx: PageContext<'user'>,
  { name, token }: Extract<Reveal, { kind: 'TOKEN' }>,
  back: string,
): void {
  view(
    ctx,
    { title: 'Keep this token' },
    section(
      `For ${name}`,
      notice('warn', 'This is shown now, and never again. Give it to nobody but who is to use it.'),
      html`<dl class="reveal"><dt>Token, for the operators’ API</dt><dd>${code(token, { canCopy: true })}</dd></dl>
<p class="after">${linkButton(back, 'I have kept it')}</p>`,
    ),
  );
}

/** Only their hashes are kept. */
function showCodes(
  ctx: PageContext<'user'>,
  { codes, to }: Extract<Reveal, { kind: 'CODES' }>,
): void {
  view(
    ctx,
    { title: 'Keep these codes', crumbs: [['Account', '/account']] },
    html`<div class="card narrow">${notice('good', 'The second factor is set up.')}
<p>If you lose your phone, each of these signs you in once. They are shown only now.</p>
${codeBlock(codes.join('\n'), 'Recovery codes')}
<p class="after">${linkButton(to, 'I have kept them')}</p></div>`,
  );
}

function showGone(ctx: PageContext<'user'>, back: string | null): void {
  view(
    ctx,
    { title: 'It was shown' },
    emptyState(
      'A secret is shown once',
      'It was shown already, or waited longer than five minutes. If you have not kept it, make another one, and revoke the one that is lost.',
      linkButton(back ?? '/', back === null ? 'To the start' : 'Make another one'),
    ),
  );
}
