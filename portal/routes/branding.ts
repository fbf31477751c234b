import Joi from 'joi';
import { type ChosenBranding, logoLimits } from '../../domain/branding.ts';
import { defaultLanguage, type Language, languages } from '../../domain/languages.ts';
import type { MessageReason } from '../../domain/messages.ts';
import { timeZones } from '../../domain/time-zones.ts';
import { removeLogo, setLogo, updateBranding } from '../../operations/branding.ts';
import { execute } from '../../operations/execute.ts';
import { render } from '../components/view.ts';
import { type PageContext, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { tooLong } from '../forms/default-messages.ts';
import { nameField } from '../forms/fields.ts';
import type { Filled, Problems } from '../forms/submit.ts';
import { actorOf } from '../operate.ts';
import { brandingPage, messageReasons, previewedMail } from '../pages/branding.ts';
import { queryOf } from '../routing/query.ts';
import type { Routes } from '../routing/route-table.ts';

const schema = Joi.object<ChosenBranding>({
  language: Joi.valid(...languages)
    .required()
    .messages({ 'any.only': 'Choose a language.', 'any.required': 'Choose a language.' }),
  timeZone: Joi.valid(...timeZones)
    .default(null)
    .messages({ 'any.only': 'Choose a time zone.' }),
  color: Joi.string()
    .trim()
    .lowercase()
    .pattern(/^#[0-9a-f]{6}$/)
    .default(null)
    .messages({ 'string.pattern.base': 'Enter a # and six hexadecimal digits, such as #4f46e5.' }),
  spendText: nameField.max(200).default(null).messages({
    'string.max': tooLong,
    'string.pattern.base': 'Enter one line of text.',
  }),
  spendUrl: Joi.string().trim().max(500).uri({ scheme: 'https' }).default(null).messages({
    'string.uri': 'Enter an address that begins with https://.',
    'string.uriCustomScheme': 'Enter an address that begins with https://.',
  }),
});
const shownSchema = Joi.object<{ language?: Language }>({ language: Joi.valid(...languages) });
const emailSchema = Joi.object<{ language?: Language; why?: MessageReason }>({
  language: Joi.valid(...languages),
  why: Joi.valid(...messageReasons),
});
const editing = {
  path: '/branding/edit',
  audience: 'partner',
  permission: 'partner.update',
  secondFactor: 'LIVE',
} as const;

/** A partner's branding, with previews. */
export function brandingPages(routes: Routes): void {
  routes.page({ path: '/branding', audience: 'partner', permission: 'read' }, show);
  routes.page({ path: '/branding/email.html', audience: 'partner', permission: 'read' }, showEmail);
  routes.action(editing, { schema, act: save, retry: show });
  routes.action(
    { ...editing, path: '/branding/logo', takesFile: true },
    {
      schema: Joi.object({}),
      check: ({ state }): Problems => (state.file ? {} : { file: 'Choose a file.' }),
      act: saveLogo,
      retry: show,
    },
  );
  routes.action(
    { ...editing, path: '/branding/logo/remove' },
    { schema: Joi.object({}), act: dropLogo, retry: show },
  );
}

function show(ctx: PageContext<'partner'>, { now }: PageDeps, filled?: Filled): void {
  const { branding } = ctx.state.viewer.partner;
  const { language = branding?.language ?? defaultLanguage } = queryOf(ctx, shownSchema);
  render(ctx, brandingPage(ctx, { language, nowMs: now() }, filled));
}

/** The policy of an email's preview: inline styles, and shown in our own frame. */
const mailPolicy = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  'sandbox',
].join(';');

function showEmail(ctx: PageContext<'partner'>, { now }: PageDeps): void {
  const { language = defaultLanguage, why = 'OFFER' } = queryOf(ctx, emailSchema);
  const { html } = previewedMail(ctx.state.viewer.partner, { language, why, nowMs: now() });
  ctx.set({
    'Content-Security-Policy': mailPolicy,
    'X-Frame-Options': 'SAMEORIGIN',
    // A sandboxed frame has an opaque origin, which cannot be keyed like the page that contains it.
    'Origin-Agent-Cluster': '?0',
  });
  ctx.type = 'html';
  ctx.body = html;
}

async function save(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  chosen: ChosenBranding,
): Promise<void> {
  const partnerId = ctx.state.viewer.partner._id;
  await execute(deps, updateBranding, actorOf(ctx), { partnerId, ...chosen });
  redirect(ctx, '/branding', 'Branding saved.');
}

async function saveLogo(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const { partner, user } = ctx.state.viewer;
  const { file: sent } = ctx.state;
  if (!sent) throw new Error('the form was not checked');
  deps.throttle.tryUpload(user._id);
  const picture = await readStart(sent, logoLimits.bytes + 1);
  await execute(deps, setLogo, actorOf(ctx), { partnerId: partner._id, picture });
  redirect(ctx, '/branding', 'Logo saved.');
}

/** Reads a file up to one byte over the limit, which shows that it is too long. */
async function readStart(file: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of file) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= maxBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxBytes);
}

async function dropLogo(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const partnerId = ctx.state.viewer.partner._id;
  await execute(deps, removeLogo, actorOf(ctx), { partnerId });
  redirect(ctx, '/branding', 'Logo removed.');
}
