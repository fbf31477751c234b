import Joi from 'joi';
import { execute } from '../../operations/execute.ts';
import { beginTestPhone } from '../../operations/test-phone/begin.ts';
import { confirmTestPhone } from '../../operations/test-phone/confirm.ts';
import { removeTestPhone } from '../../operations/test-phone/remove.ts';
import { type PageContext, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import type { Filled } from '../forms/submit.ts';
import { testPhonePage } from '../html/pages/test-phone.ts';
import { render } from '../html/view.ts';
import { actorOf } from '../operate.ts';
import type { Routes } from '../routing/route-table.ts';

const path = '/profile/test-phone';
const changing = { path, audience: 'partner', permission: 'partner.update' } as const;

/** The phone that receives text messages about TEST rewards. */
export function testPhonePages(routes: Routes): void {
  const required = (message: string) =>
    Joi.string().max(32).required().messages({ 'any.required': message });
  const number = required('Enter a phone number.');
  const code = required('Enter the code.');
  routes.page(changing, show);
  routes.action(changing, {
    schema: Joi.object<{ number: string }>({ number }),
    act: begin,
    retry: show,
  });
  routes.action(
    { ...changing, path: `${path}/code` },
    { schema: Joi.object<{ code: string }>({ code }), act: confirm, retry: show },
  );
  routes.action({ ...changing, path: `${path}/remove` }, { schema: Joi.object({}), act: remove });
}

function show(ctx: PageContext<'partner'>, _deps: PageDeps, filled?: Filled): void {
  render(ctx, testPhonePage(ctx, filled));
}

async function begin(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { number }: { number: string },
): Promise<void> {
  const { partner, user } = ctx.state.viewer;
  deps.throttle.tryText(user._id);
  await execute(deps, beginTestPhone, actorOf(ctx), { partnerId: partner._id, number });
  redirect(ctx, path, 'The code is on its way.');
}

async function confirm(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { code }: { code: string },
): Promise<void> {
  const partnerId = ctx.state.viewer.partner._id;
  await execute(deps, confirmTestPhone, actorOf(ctx), { partnerId, code });
  redirect(ctx, '/profile', 'Number verified.');
}

async function remove(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const partnerId = ctx.state.viewer.partner._id;
  await execute(deps, removeTestPhone, actorOf(ctx), { partnerId });
  redirect(ctx, '/profile', 'Number removed.');
}
