import Joi from 'joi';
import {
  type NoticeRhythm,
  type NoticeSwitch,
  newDevice,
  noticeRhythms,
  noticeSwitches,
} from '../../domain/partners.ts';
import { readNotices } from '../../models/views/account.ts';
import { chooseNotices } from '../../operations/account.ts';
import { execute } from '../../operations/execute.ts';
import { type PageContext, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import type { Filled } from '../forms/submit.ts';
import { noticesPage } from '../html/pages/notices.ts';
import { render } from '../html/view.ts';
import { actorOf } from '../operate.ts';
import type { Routes } from '../routing/route-table.ts';

const choosing = { audience: 'user', permission: null, path: '/account/notices' } as const;

interface Chosen {
  notices: NoticeSwitch[];
  rhythm: NoticeRhythm;
}
const schema = Joi.object<Chosen>({
  notices: Joi.array()
    .items(Joi.string().valid(...noticeSwitches.user, ...noticeSwitches.operator))
    .single()
    .default([])
    .messages({ 'any.only': 'Choose from the notices below.' }),
  rhythm: Joi.string()
    .valid(...noticeRhythms)
    .default('AT_ONCE'),
});

/** The viewer's email notices. */
export function noticePages(routes: Routes): void {
  routes.page(choosing, showNotices);
  routes.action(choosing, { schema, act: choose, retry: showNotices });
}

async function showNotices(
  ctx: PageContext<'user'>,
  deps: PageDeps,
  filled?: Filled,
): Promise<void> {
  const { _id, notifiesOfNewDevices } = ctx.state.viewer.user;
  const { notices, rhythm } = await readNotices(deps, _id);
  const chosen = notifiesOfNewDevices === false ? notices : [...notices, newDevice];
  const values = { notices: chosen, rhythm };
  render(ctx, noticesPage(ctx, filled ?? { values, errors: {} }));
}

async function choose(ctx: PageContext<'user'>, deps: PageDeps, chosen: Chosen): Promise<void> {
  await execute(deps, chooseNotices, actorOf(ctx), chosen);
  redirect(ctx, '/account/notices', 'Saved.');
}
