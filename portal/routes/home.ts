import { redirect } from '../context.ts';
import type { PortalDeps } from '../deps.ts';
import { badge, code, emptyState, facts, section, table } from '../html/components.ts';
import { day } from '../html/format.ts';
import { html } from '../html/html.ts';
import { view } from '../html/view.ts';
import type { Routes } from '../route-table.ts';

/** More integrations than a partner has. */
const maxIntegrations = 100;

/** Where everybody begins. */
export function homePages(routes: Routes, { models }: PortalDeps): void {
  routes.page({ path: '/', audience: 'user', permission: null }, async (ctx) => {
    redirect(ctx, ctx.state.viewer.kind === 'partner' ? '/home' : '/admin');
  });

  routes.page({ path: '/home', audience: 'partner', permission: 'read' }, async (ctx) => {
    const { partner } = ctx.state.viewer;
    const partnerId = partner._id;
    const [integrations, credentials, users] = await Promise.all([
      models.integrations.find({ partnerId }).sort({ _id: 1 }).limit(maxIntegrations).lean(),
      models.credentials.find({ partnerId, revokedAt: null }, { integrationId: 1, mode: 1 }).lean(),
      models.users.countDocuments({ partnerId, disabledAt: null }),
    ]);
    const keysOf = (integrationId: string, mode: 'TEST' | 'LIVE') =>
      credentials.filter((one) => one.integrationId === integrationId && one.mode === mode).length;
    view(
      ctx,
      { title: partner.name, lead: 'Where you stand.' },
      section(
        'State',
        facts([
          ['Account', badge(partner.status)],
          ['Go-live', badge(partner.goLive.state)],
          ['Team', html`<a href="/team">${users} ${users === 1 ? 'user' : 'users'}</a>`],
          ['Partner id', code(partnerId, { canCopy: true })],
        ]),
      ),
      section(
        'Integrations',
        table({
          caption: 'Integrations',
          columns: [
            { heading: 'Name', cell: ({ name }) => name },
            { heading: 'Id', cell: ({ _id }) => code(_id, { canCopy: true }) },
            { heading: 'TEST keys', cell: ({ _id }) => keysOf(_id, 'TEST'), isNumber: true },
            { heading: 'LIVE keys', cell: ({ _id }) => keysOf(_id, 'LIVE'), isNumber: true },
            { heading: 'Since', cell: ({ createdAt }) => day(createdAt) },
          ],
          rows: integrations,
          empty: emptyState(
            'No integration yet',
            'An integration is one of your systems that sends purchases, such as a web shop.',
          ),
        }),
      ),
    );
  });
}
