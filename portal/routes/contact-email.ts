import Joi from 'joi';
import type { ProvableAddress } from '../../domain/customer.ts';
import { beginContactEmail, confirmContactEmail } from '../../operations/contact-email.ts';
import { execute } from '../../operations/execute.ts';
import { type PageContext, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import type { Filled } from '../forms/submit.ts';
import { pathOfAddress, verifyAddressPage } from '../html/pages/contact-email.ts';
import { render } from '../html/view.ts';
import { actorOf } from '../operate.ts';
import type { Routes } from '../routing/route-table.ts';

/** Verifies the partner's contact and support addresses. */
export function contactEmailPages(routes: Routes): void {
  verifyingPages(routes, 'contactEmail');
  verifyingPages(routes, 'supportEmail');
}

function verifyingPages(routes: Routes, address: ProvableAddress): void {
  const path = pathOfAddress[address];
  const verifying = { path, audience: 'partner', permission: 'partner.update' } as const;
  const show = (ctx: PageContext<'partner'>, _deps: PageDeps, filled?: Filled) =>
    render(ctx, verifyAddressPage(ctx, address, filled));
  const code = Joi.string().max(32).required().messages({ 'any.required': 'Enter the code.' });
  routes.page(verifying, show);
  routes.action(verifying, {
    schema: Joi.object({}),
    async act(ctx, deps) {
      const { partner, user } = ctx.state.viewer;
      deps.throttle.tryMailedCode(user._id);
      const input = { partnerId: partner._id, address };
      await execute(deps, beginContactEmail, actorOf(ctx), input);
      redirect(ctx, path, 'The code is on its way.');
    },
    retry: show,
  });
  routes.action(
    { ...verifying, path: `${path}/code` },
    {
      schema: Joi.object<{ code: string }>({ code }),
      async act(ctx, deps, { code }) {
        const input = { partnerId: ctx.state.viewer.partner._id, address, code };
        await execute(deps, confirmContactEmail, actorOf(ctx), input);
        redirect(ctx, '/profile', 'Email address verified.');
      },
      retry: show,
    },
  );
}
