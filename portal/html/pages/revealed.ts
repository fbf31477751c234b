import type { PageContext } from '../../context.ts';
import type { Reveal } from '../../session/reveal.ts';
import { say } from '../../words/say.ts';
import { tags } from '../../words/tags.ts';
import {
  code,
  codeBlock,
  copyButton,
  emptyState,
  linkButton,
  notice,
  section,
} from '../components.ts';
import { html, nothing } from '../html.ts';
import { environment, keyCrumbs, keyLinks } from '../keys.ts';
import { type Page, page } from '../view.ts';

export function revealedKeyPage(
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
      ...(isPartners && { crumbs: [...keyCrumbs(), [say('revealed.key', { mode }), back]] }),
    },
    notice('warn', say('revealed.key.notice', { strong: tags.strong })),
    section(
      say('revealed.section.keyAndSecret'),
      html`<dl class="reveal"><div><dt>${say('revealed.apiKey')}</dt><dd><code>${apiKey}</code>${copyButton(apiKey)}</dd></div>
<div><dt>${say('revealed.secret')}</dt><dd><code>${secret}</code>${copyButton(secret)}</dd></div></dl>`,
    ),
    section(
      say('revealed.section.asEnvironment'),
      codeBlock(environment(apiUrl, apiKey, secret), say('revealed.environmentVariables')),
    ),
    isPartners
      ? section(
          say('revealed.section.useIt'),
          mode === 'LIVE'
            ? html`<p>${say('revealed.key.putKey', { link: tags.link('/events') })}</p>`
            : nothing,
          keyLinks(ctx, mode),
        )
      : html`<p>${linkButton(back, say('revealed.key.saved'))}</p>`,
  );
}

export function revealedAccessTokenPage(
  { name, token }: Extract<Reveal, { kind: 'ACCESS_TOKEN' }>,
  back: string,
  portalUrl: string,
): Page {
  return page(
    { title: say('revealed.accessToken.title'), crumbs: [[say('common.account'), '/account']] },
    section(
      name,
      notice('warn', say('revealed.accessToken.notice')),
      html`<dl class="reveal"><dt>${say('revealed.accessToken')}</dt><dd>${code(token, { canCopy: true })}</dd></dl>`,
      codeBlock(
        `export PARTNER_PORTAL_URL=${portalUrl}\nread -rs PARTNER_TOKEN && export PARTNER_TOKEN\nnpx partner-events listen`,
        say('revealed.inYourTerminal'),
      ),
      html`<p class="after">${linkButton(back, say('revealed.accessToken.button'))}</p>`,
    ),
  );
}

export function revealedServiceTokenPage(
  { mode, name, token }: Extract<Reveal, { kind: 'SERVICE_TOKEN' }>,
  back: string,
): Page {
  return page(
    {
      title: say('revealed.serviceToken.title'),
      mode,
      crumbs: [[say('revealed.serviceAccounts'), '/service-accounts']],
    },
    section(
      name,
      notice('warn', say('revealed.serviceToken.notice')),
      html`<dl class="reveal"><dt>${say('revealed.serviceToken.tokenService')}</dt><dd>${code(token, { canCopy: true })}</dd></dl>
<p class="after">${linkButton(back, say('revealed.serviceToken.saved'))}</p>`,
    ),
  );
}

export function revealedWebhookPage(
  { mode, secret }: Extract<Reveal, { kind: 'WEBHOOK_SECRET' }>,
  back: string,
): Page {
  return page(
    {
      title: say('revealed.webhook.title'),
      mode,
      crumbs: [[say('revealed.webhooks'), '/webhooks']],
    },
    section(
      say('revealed.section.signingSecret'),
      notice('warn', say('revealed.webhook.notice', { strong: tags.strong })),
      html`<dl class="reveal"><dt>${say('revealed.webhookSecret')}</dt><dd>${code(secret, { canCopy: true })}</dd></dl>`,
      codeBlock(`PARTNER_WEBHOOK_SECRET=${secret}\n`, say('revealed.environmentVariables')),
      codeBlock(
        `import { verifyWebhook } from 'partner-events';\n\nconst event = await verifyWebhook(rawBody, request.headers, process.env.PARTNER_WEBHOOK_SECRET);`,
        say('revealed.inYourReceiver'),
      ),
      html`<p class="after">${linkButton(back, say('revealed.webhook.button'))}</p>`,
    ),
  );
}

export function revealedTokenPage(
  { name, token }: Extract<Reveal, { kind: 'TOKEN' }>,
  back: string,
): Page {
  return page(
    { title: say('revealed.token.title') },
    section(
      say('revealed.section.for', { name }),
      notice('warn', say('revealed.token.notice')),
      html`<dl class="reveal"><dt>${say('revealed.token.tokenOperators')}</dt><dd>${code(token, { canCopy: true })}</dd></dl>
<p class="after">${linkButton(back, say('revealed.token.saved'))}</p>`,
    ),
  );
}

/** Only their hashes are stored. */
export function recoveryCodesPage({ codes, to }: Extract<Reveal, { kind: 'CODES' }>): Page {
  return page(
    { title: say('revealed.recoveryCodes.title'), crumbs: [[say('common.account'), '/account']] },
    html`<div class="card narrow">${notice('good', say('revealed.recoveryCodes.notice'))}
<p>${say('revealed.recoveryCodes.losePhone')}</p>
${codeBlock(codes.join('\n'), say('revealed.recoveryCodes'))}
<p class="after">${linkButton(to, say('revealed.recoveryCodes.saved'))}</p></div>`,
  );
}

export function revealGonePage(back: string | null): Page {
  return page(
    { title: say('revealed.revealGone.title') },
    emptyState(
      say('revealed.revealGone.empty.title'),
      say('revealed.revealGone.empty.text'),
      linkButton(
        back ?? '/',
        back === null ? say('revealed.revealGone.text') : say('revealed.createAnother'),
      ),
    ),
  );
}
