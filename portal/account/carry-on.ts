import Joi from 'joi';
import { form, hidden } from '../components/form.ts';
import { html } from '../components/format.ts';
import { type Page, page, render } from '../components/view.ts';
import { type PageContext, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import type { RoutesOf } from '../routing/route-table.ts';
import { carryOnPath, continueTo, keptPage, pathOfKept } from '../session/carry-on.ts';
import { sessionCookie } from '../session/sign-in.ts';

/** Carries out a form that was kept, where that did not follow by itself: after an emailed link, or new recovery codes. */
export function carryOnPages(routes: RoutesOf<'user'>): void {
  routes.page(carryOnPath, showKept);
  routes.action(carryOnPath, {
    schema: Joi.object<{ form?: string }>({ form: Joi.string().max(100) }),
    async act(ctx, { config }, { form: name = '' }) {
      const token = sessionCookie(config).read(ctx);
      if (token === undefined) redirect(ctx, '/');
      else continueTo(ctx, pathOfKept(name), token);
    },
  });
}

const keptFormPage = (
  ctx: PageContext<'user'>,
  { name, page: back }: { name: string; page: string },
): Page =>
  page(
    {
      title: 'Carry on where you were',
      lead: 'What you sent before is kept, and has not been carried out.',
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: carryOnPath, submit: 'Carry it out' },
      hidden('form', name),
    )}<p class="muted after"><a href="${back}">Back to the form</a></p></div>`,
  );

function showKept(ctx: PageContext<'user'>, deps: PageDeps): void {
  const kept = keptPage(deps, ctx);
  if (kept === null) redirect(ctx, '/');
  else render(ctx, keptFormPage(ctx, kept));
}
