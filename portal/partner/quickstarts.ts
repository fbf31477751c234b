import Joi from 'joi';
import type { Config } from '../../platform/config.ts';
import { code, codeBlock, definitions, section } from '../components/components.ts';
import { type Html, html, nothing } from '../components/format.ts';
import { onwardLinks } from '../components/onward-links.ts';
import { type Page, page, render } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import {
  type ClientPackage,
  clientPackages,
  readClientPackages,
} from '../documents/client-packages.ts';
import { commandPath, readCommand } from '../documents/command.ts';
import {
  allLanguages,
  inCurrency,
  type ProgrammingLanguage,
  programmingLanguages,
  readQuickstarts,
} from '../documents/quickstarts.ts';
import { orNotFound } from '../middleware/form.ts';
import { queryOf } from '../routing/query.ts';
import type { Routes } from '../routing/route-table.ts';

const querySchema = Joi.object<{ language: ProgrammingLanguage }>({
  language: Joi.string()
    .valid(...Object.keys(programmingLanguages))
    .default('curl'),
});

const texts = readQuickstarts();

/** Quick starts: a file per language that signs and sends a purchase. */
export function quickstartPages(routes: Routes): void {
  routes.of('partner').page('/quickstarts', showQuickstart);
  routes.of('public').page(commandPath, sendCommand);
  for (const client of clientPackages) {
    routes.of('public').page(`/${client.name}`, (ctx, deps) => sendPackage(ctx, deps, client));
  }
}

async function sendPackage(
  ctx: PageContext<'public'>,
  { config }: PageDeps,
  { name, type }: ClientPackage,
): Promise<void> {
  const { file } = orNotFound((await readClientPackages(config)).get(name) ?? null);
  ctx.type = type;
  ctx.set('Content-Disposition', `attachment; filename="${name}"`);
  ctx.body = file;
}

async function sendCommand(ctx: PageContext<'public'>, { config }: PageDeps): Promise<void> {
  const { file } = await readCommand(config);
  ctx.type = 'text/javascript';
  ctx.set('Content-Disposition', `attachment; filename="${commandPath.slice(1)}"`);
  ctx.body = file;
}

async function showQuickstart(ctx: PageContext<'partner'>, { config }: PageDeps): Promise<void> {
  const { language } = queryOf(ctx, querySchema);
  const { currency } = ctx.state.viewer.partner;
  const text = inCurrency(texts.get(programmingLanguages[language].file) ?? '', currency);
  const { sha256 } = await readCommand(config);
  const packages = await readClientPackages(config);
  render(ctx, quickstartPage(ctx, language, { text, portal: config.portal, sha256, packages }));
}

/** @param text the source file for the language */
function quickstartPage(
  ctx: PageContext<'partner'>,
  language: ProgrammingLanguage,
  {
    text,
    portal,
    sha256,
    packages,
  }: {
    text: string;
    portal: Config['portal'];
    sha256: string;
    packages: ReadonlyMap<string, { sha256: string }>;
  },
): Page {
  const { name, file, needs, run } = programmingLanguages[language];
  const environment = [
    `export PARTNER_URL=${portal.apiUrl}`,
    `export PARTNER_KEY='pk_test_… (your TEST key)'`,
    `export PARTNER_SECRET='sk_test_… (its secret)'`,
  ].join('\n');
  return page(
    {
      title: 'Quick starts',
      lead: 'A purchase, signed and sent, in one file without dependencies. Copy it, run it, then move the signing into your own code.',
    },
    html`<nav class="tabs" aria-label="Languages"><ul>${allLanguages.map(
      ([one, { name: label }]) =>
        html`<li class="tab"><a class="tab-link" href="/quickstarts?language=${one}" ${one === language ? html`aria-current="page"` : nothing}>${label}</a></li>`,
    )}</ul></nav>`,
    section(
      'Run it',
      html`<p>It needs ${needs}. Save the file below as <code>${file}</code>; <code>A1</code> is your order ID.</p>`,
      codeBlock(`${environment}\n${run}\n`, 'How to run it'),
    ),
    section(`${file}`, codeBlock(text, `${name}: ${file}`)),
    html`<div id="command">${commandSection(portal.url, environment, sha256)}</div>`,
    packages.size === 0
      ? nothing
      : html`<div id="clients">${clientsSection(portal.url, packages)}</div>`,
    onwardLinks(ctx, [
      ['/keys', 'A TEST key'],
      ['/doctor', 'Signature refused?'],
      ['/reference', 'API reference'],
    ]),
  );
}

function clientsSection(
  portalUrl: string,
  packages: ReadonlyMap<string, { sha256: string }>,
): Html {
  return section(
    'The clients',
    html`<p>They sign, retry, type every response and verify webhooks. Each is one file, which your package manager installs.</p>`,
    ...clientPackages.flatMap(({ language, name, install }) => [
      html`<h3>${language}: <a href="/${name}" download>${name}</a></h3>`,
      definitions([['SHA-256', code(packages.get(name)?.sha256 ?? '', { canCopy: true })]]),
      codeBlock(
        `curl -sSO ${portalUrl}/${name}\nopenssl dgst -sha256 ${name}\n${install}\n`,
        `How to install the ${language} client`,
      ),
    ]),
  );
}

function commandSection(portalUrl: string, environment: string, sha256: string): Html {
  return section(
    'The command',
    html`<p>It sends, reads, compares and explains events, and listens to webhooks, from your terminal. It is one file, and needs Node 22.12 or newer: <a href="${commandPath}" download>${commandPath.slice(1)}</a></p><p>For <code>listen</code>, <code>logs</code> and <code>trigger</code>, set <code>PARTNER_TOKEN</code> to an access token of <a href="/account">your account</a>.</p>`,
    definitions([['SHA-256', code(sha256, { canCopy: true })]]),
    codeBlock(
      `curl -sSO ${portalUrl}${commandPath}\nopenssl dgst -sha256 partner-events.mjs\n${environment}\nexport PARTNER_PORTAL_URL=${portalUrl}\nnode partner-events.mjs --help\n`,
      'How to get and run it',
    ),
  );
}
