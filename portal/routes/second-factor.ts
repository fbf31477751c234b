import Joi from 'joi';
import QRCode from 'qrcode';
import { ServiceError } from '../../domain/errors.ts';
import { enrollSecondFactor, factorContext, takeCode } from '../../models/second-factors.ts';
import { setFlash, strengthenSession } from '../../models/sessions.ts';
import { codeUri, newCodeSecret, stepOfCode } from '../../platform/one-time-codes.ts';
import { type PageContext, redirect } from '../context.ts';
import { deed } from '../deeds.ts';
import type { PortalDeps } from '../deps.ts';
import { backField } from '../fields.ts';
import { emptyForm, FieldError, type Filled } from '../forms.ts';
import { code } from '../html/components.ts';
import { field, form, hidden } from '../html/form.ts';
import { html } from '../html/html.ts';
import { view } from '../html/view.ts';
import { isFresh } from '../middleware/second-factor.ts';
import { reveal } from '../reveal.ts';
import type { Routes } from '../route-table.ts';
import { safePath } from '../safe-path.ts';
import { sessionCookie } from '../session-cookie.ts';
import type { Throttle } from '../throttle.ts';

const codeText = Joi.string().max(40).required().messages({ 'any.required': 'Enter the code.' });
const giveSchema = Joi.object<{ code: string; to?: string }>({ code: codeText, to: backField });
const enrollSchema = Joi.object<{ code: string; sealedSecret: string; to?: string }>({
  code: codeText,
  sealedSecret: Joi.string().max(1_000).required(),
  to: backField,
});
const user = { audience: 'user', permission: null } as const;
const enrolling = '/second-factor/enroll';

/** The second factor: given before LIVE keys and money are touched, and enrolled before that. */
export function secondFactorPages(routes: Routes, deps: PortalDeps, throttle: Throttle): void {
  const { models, sealer, config, now } = deps;
  const factorDeps = { models, sealer, now, customerHashKey: config.customerHashKey };
  const cookie = sessionCookie(config);

  const codeField = (filled: Filled, hint: string) =>
    field({
      ...{ name: 'code', label: 'Code', filled, hint, autocomplete: 'one-time-code' },
      ...{ isRequired: true, maxLength: 40, autofocus: true },
    });

  async function showGive(ctx: PageContext<'user'>, filled: Filled = emptyForm) {
    const to = safePath(filled.values.to ?? ctx.query.to);
    if (!ctx.state.viewer.user.secondFactor) {
      return redirect(ctx, `/second-factor/enroll?to=${encodeURIComponent(to)}`);
    }
    view(
      ctx,
      { title: 'Is it you?', lead: 'What comes next touches LIVE keys or money.' },
      html`<div class="card narrow">${form(
        ctx,
        { action: '/second-factor', submit: 'Go on', filled },
        hidden('to', to),
        codeField(filled, 'The six digits of your authenticator app, or a recovery code.'),
      )}<p class="muted after"><a href="/home">Not now</a></p></div>`,
    );
  }

  routes.page({ path: '/second-factor', ...user }, (ctx) => showGive(ctx));

  routes.action(
    { path: '/second-factor', ...user },
    {
      schema: giveSchema,
      async act(ctx, { code: given, to }) {
        const { user: who, session } = ctx.state.viewer;
        throttle.tryCode(who._id);
        const token = await deed(
          deps,
          ctx,
          { action: 'own-second-factor.give', partnerId: who.partnerId, targetId: session._id },
          async () => {
            if (await takeCode(factorDeps, who, given)) return strengthenSession(deps, session);
            throw new ServiceError('VALIDATION_FAILED', 'This code is wrong, or was used already.');
          },
        );
        throttle.codeWasRight(who._id);
        cookie.write(ctx, token, { lasts: true });
        redirect(ctx, safePath(to));
      },
      retry: showGive,
    },
  );

  /** Whoever has a second factor gives it before they change it. */
  const mayEnroll = ({ state: { viewer } }: PageContext<'user'>): boolean =>
    viewer.user.secondFactor === null || isFresh(viewer.session, now());

  async function showEnroll(ctx: PageContext<'user'>, filled: Filled = emptyForm) {
    if (!mayEnroll(ctx)) {
      return redirect(ctx, '/second-factor?to=/second-factor/enroll');
    }
    const { _id, email } = ctx.state.viewer.user;
    const to = safePath(filled.values.to ?? ctx.query.to, '/account');
    const secret = newCodeSecret();
    const picture = await QRCode.toString(codeUri(secret, email ?? _id), {
      type: 'svg',
      margin: 1,
    });
    const source = `data:image/svg+xml;base64,${Buffer.from(picture).toString('base64')}`;
    view(
      ctx,
      {
        title: 'Set up the second factor',
        lead: 'An authenticator app on your phone. LIVE keys and money ask for its code.',
        crumbs: [['Account', '/account']],
      },
      html`<div class="card narrow"><ol class="steps">
<li>Scan this with an authenticator app, or type the key: ${code(secret, { canCopy: true })}
<p><img class="qr" src="${source}" alt="QR code of the key above" width="200" height="200"></p></li>
<li>Enter the code that the app shows.${form(
        ctx,
        { action: '/second-factor/enroll', submit: 'Set up', filled },
        hidden('to', to),
        hidden('sealedSecret', sealer.seal(secret, factorContext(_id))),
        codeField(filled, 'Six digits.'),
      )}</li></ol></div>`,
    );
  }

  routes.page({ path: '/second-factor/enroll', ...user }, (ctx) => showEnroll(ctx));

  routes.action(
    { path: '/second-factor/enroll', ...user },
    {
      schema: enrollSchema,
      async act(ctx, { code: given, sealedSecret, to }) {
        if (!mayEnroll(ctx)) throw new ServiceError('FORBIDDEN', 'Give your second factor first.');
        const { user: who, session } = ctx.state.viewer;
        throttle.tryCode(who._id);
        const secret = opened(sealedSecret, who._id);
        const step = secret === null ? null : stepOfCode(secret, given.replace(/\s/g, ''), now());
        if (secret === null || step === null) {
          throw new FieldError('code', 'This code is wrong. Here is a new key; scan it anew.');
        }
        const codes = await deed(
          deps,
          ctx,
          { action: 'own-second-factor.enroll', partnerId: who.partnerId, targetId: who._id },
          () => enrollSecondFactor(factorDeps, who._id, { secret, step }),
        );
        throttle.codeWasRight(who._id);
        cookie.write(ctx, await strengthenSession(deps, session), { lasts: true });
        await setFlash(deps, session, null);
        await reveal(deps, ctx, { kind: 'CODES', codes, to: safePath(to, '/account') }, enrolling);
      },
      retry: showEnroll,
    },
  );

  function opened(sealedSecret: string, userId: string): string | null {
    try {
      return sealer.open(sealedSecret, factorContext(userId));
    } catch {
      return null;
    }
  }
}
