import Joi from 'joi';
import { beginContactEmail } from '../../operations/contact-email/begin.ts';
import { confirmContactEmail } from '../../operations/contact-email/confirm.ts';
import { execute } from '../../operations/execute.ts';
import { type PageContext, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import type { Filled } from '../forms/submit.ts';
import { contactEmailPage } from '../html/pages/contact-email.ts';
import { render } from '../html/view.ts';
import { actorOf } from '../operate.ts';
import type { Routes } from '../routing/route-table.ts';
import { say } from '../words/say.ts';

const path = '/profile/contact-email';
const verifying = { path, audience: 'partner', permission: 'partner.update' } as const;

/** Whether somebody reads what is mailed to the partner's contact. */
export function contactEmailPages(routes: Routes): void {
  const code = Joi.string().max(32).required().messages({ 'any.required': 'field.enterCode' });
  routes.page(verifying, show);
  routes.action(verifying, { schema: Joi.object({}), act: begin, retry: show });
  routes.action(
    { ...verifying, path: `${path}/code` },
    { schema: Joi.object<{ code: string }>({ code }), act: confirm, retry: show },
  );
}

function show(ctx: PageContext<'partner'>, _deps: PageDeps, filled?: Filled): void {
  render(ctx, contactEmailPage(ctx, filled));
}

async function begin(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const { partner, user } = ctx.state.viewer;
  deps.throttle.tryMailedCode(user._id);
  await execute(deps, beginContactEmail, actorOf(ctx), { partnerId: partner._id });
  redirect(ctx, path, say('contactEmail.begin.done'));
}

async function confirm(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { code }: { code: string },
): Promise<void> {
  const partnerId = ctx.state.viewer.partner._id;
  await execute(deps, confirmContactEmail, actorOf(ctx), { partnerId, code });
  redirect(ctx, '/profile', say('contactEmail.confirm.done'));
}
