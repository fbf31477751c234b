import { assertNever } from '../../domain/assert-never.ts';
import {
  code,
  codeBlock,
  copyButton,
  emptyState,
  linkButton,
  notice,
  section,
} from '../components/components.ts';
import { form, hidden } from '../components/form.ts';
import { html, nothing } from '../components/format.ts';
import { environment, keyCrumbs, keyLinks } from '../components/keys.ts';
import { type Page, page, render } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { renderWithNext } from '../next-step.ts';
import type { RoutesOf } from '../routing/route-table.ts';
import { carryOnPath, nameIn } from '../session/carry-on.ts';
import { type Reveal, revealedPath, takeRevealed } from '../session/reveal.ts';

/** The page that shows a secret once, never cached by browsers. */
export function revealedPages(routes: RoutesOf<'user'>): void {
  routes.page(revealedPath, showRevealed);
}

async function showRevealed(ctx: PageContext<'user'>, deps: PageDeps): Promise<void> {
  const { revealed, back } = await takeRevealed(deps, ctx);
  if (revealed === null) return render(ctx, revealGonePage(back));
  const shown = pageOf(ctx, revealed, back ?? '/', deps.config.portal);
  if (revealed.kind === 'KEY' && isOfPartner(ctx)) {
    return await renderWithNext(ctx, deps, shown, { place: 'BELOW' });
  }
  render(ctx, shown);
}

const isOfPartner = (ctx: PageContext<'user'>): ctx is PageContext<'partner'> =>
  ctx.state.viewer.kind === 'partner';

function pageOf(
  ctx: PageContext<'user'>,
  what: Reveal,
  back: string,
  { apiUrl, url }: { apiUrl: string; url: string },
): Page {
  switch (what.kind) {
    case 'KEY':
      return revealedKeyPage(ctx, what, back, apiUrl);
    case 'WEBHOOK_SECRET':
      return revealedWebhookPage(what, back);
    case 'TOKEN':
      return revealedTokenPage(what, back);
    case 'ACCESS_TOKEN':
      return revealedAccessTokenPage(what, back, url);
    case 'SERVICE_TOKEN':
      return revealedServiceTokenPage(what, back);
    case 'CODES':
      return recoveryCodesPage(ctx, what);
    default:
      return assertNever(what, 'reveal');
  }
}

function revealedKeyPage(
  ctx: PageContext<'user'>,
  { title, mode, apiKey, secret }: Extract<Reveal, { kind: 'KEY' }>,
  back: string,
  apiUrl: string,
): Page {
  const isPartners = ctx.state.viewer.kind === 'partner';
  return page(
    {
      title,
      mode,
      ...(isPartners && { crumbs: [...keyCrumbs(), [`${mode} key`, back]] }),
    },
    notice(
      'warn',
      html`<strong>This secret is shown once.</strong> We store it encrypted and cannot show it again. Save it before you leave this page; anyone who has it can send requests in the partner’s name.`,
    ),
    section(
      'Key and secret',
      html`<dl class="reveal"><div><dt>API key</dt><dd><code>${apiKey}</code>${copyButton(apiKey)}</dd></div>
<div><dt>Secret</dt><dd><code>${secret}</code>${copyButton(secret)}</dd></div></dl>`,
    ),
    section(
      'As environment variables',
      codeBlock(environment(apiUrl, apiKey, secret), 'Environment variables'),
    ),
    isPartners
      ? section(
          'Use it',
          mode === 'LIVE'
            ? html`<p>Put the key and its secret where your system signs its requests. The first purchase it reports appears in the <a href="/events">request log</a> within a moment.</p>`
            : nothing,
          keyLinks(ctx, mode),
        )
      : html`<p>${linkButton(back, 'I have saved it')}</p>`,
  );
}

function revealedAccessTokenPage(
  { name, token }: Extract<Reveal, { kind: 'ACCESS_TOKEN' }>,
  back: string,
  portalUrl: string,
): Page {
  return page(
    { title: 'Save this token', crumbs: [['Account', '/account']] },
    section(
      name,
      notice('warn', 'This is shown only once. Anyone who has it can use it in your name.'),
      html`<dl class="reveal"><dt>Access token</dt><dd>${code(token, { canCopy: true })}</dd></dl>`,
      codeBlock(
        `export PARTNER_PORTAL_URL=${portalUrl}\nread -rs PARTNER_TOKEN && export PARTNER_TOKEN\ncurl -sSO ${portalUrl}/partner-events.mjs\nnode partner-events.mjs listen`,
        'In your terminal',
      ),
      html`<p class="after">${linkButton(back, 'I have saved it')}</p>`,
    ),
  );
}

function revealedServiceTokenPage(
  { mode, name, token }: Extract<Reveal, { kind: 'SERVICE_TOKEN' }>,
  back: string,
): Page {
  return page(
    {
      title: 'Save this token',
      mode,
      crumbs: [['Keys', '/keys']],
    },
    section(
      name,
      notice(
        'warn',
        'This is shown only once. Anyone who has it can read what the account can read.',
      ),
      html`<dl class="reveal"><dt>Token of the service account</dt><dd>${code(token, { canCopy: true })}</dd></dl>
<p class="after">${linkButton(back, 'I have saved it')}</p>`,
    ),
  );
}

function revealedWebhookPage(
  { mode, secret }: Extract<Reveal, { kind: 'WEBHOOK_SECRET' }>,
  back: string,
): Page {
  return page(
    {
      title: 'Save this secret',
      mode,
      crumbs: [['Webhooks', '/webhooks']],
    },
    section(
      'Signing secret',
      notice(
        'warn',
        html`<strong>This secret is shown once.</strong> Your receiver uses it to verify webhooks; anyone who has it can forge them.`,
      ),
      html`<dl class="reveal"><dt>Webhook secret</dt><dd>${code(secret, { canCopy: true })}</dd></dl>`,
      codeBlock(`PARTNER_WEBHOOK_SECRET=${secret}\n`, 'Environment variables'),
      codeBlock(
        `import { verifyWebhook } from 'partner-events';\n\nconst event = await verifyWebhook(rawBody, request.headers, process.env.PARTNER_WEBHOOK_SECRET);`,
        'In your receiver',
      ),
      html`<p class="after">${linkButton(back, 'I have saved it')}</p>`,
    ),
  );
}

function revealedTokenPage(
  { name, token }: Extract<Reveal, { kind: 'TOKEN' }>,
  back: string,
): Page {
  return page(
    { title: 'Save this token' },
    section(
      `For ${name}`,
      notice('warn', 'This is shown only once. Give it only to the person who will use it.'),
      html`<dl class="reveal"><dt>Token, for the operators’ API</dt><dd>${code(token, { canCopy: true })}</dd></dl>
<p class="after">${linkButton(back, 'I have saved it')}</p>`,
    ),
  );
}

/** Only their hashes are stored. */
function recoveryCodesPage(
  ctx: PageContext<'user'>,
  { codes, to }: Extract<Reveal, { kind: 'CODES' }>,
): Page {
  const kept = nameIn(to);
  return page(
    { title: 'Save these codes', crumbs: [['Account', '/account']] },
    html`<div class="card narrow">${notice('good', 'The second factor is set up.')}
<p>If you lose your phone, each of these codes signs you in once. They are shown only once.</p>
${codeBlock(codes.join('\n'), 'Recovery codes')}
${
  kept === undefined
    ? html`<p class="after">${linkButton(to, 'I have saved them')}</p>`
    : form(ctx, { action: carryOnPath, submit: 'I have saved them' }, hidden('form', kept))
}</div>`,
  );
}

function revealGonePage(back: string | null): Page {
  return page(
    { title: 'Already shown' },
    emptyState(
      'A secret is shown once',
      'It has already been shown, or was not opened within five minutes. If you did not save it, create another and revoke the lost one.',
      linkButton(back ?? '/', back === null ? 'Go to the start page' : 'Create another'),
    ),
  );
}
