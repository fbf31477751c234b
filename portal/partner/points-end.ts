import Joi from 'joi';
import type { Mode } from '../../domain/mode.ts';
import { noticeDays, type PointsLife, pointsLives } from '../../domain/points-end.ts';
import type { PointsEndDoc } from '../../models/schemas/policies.ts';
import { changePointsEnd } from '../../operations/points-end.ts';
import { type ReadPointsEnd, readPointsEnds } from '../../views/points-end.ts';
import { definitions, section, table } from '../components/components.ts';
import { form, hidden, select } from '../components/form.ts';
import { nothing, time } from '../components/format.ts';
import { type Page, page, render } from '../components/view.ts';
import { checkedMode, type PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { type Filled, filledWith } from '../forms/submit.ts';
import { hasPermission } from '../middleware/access.ts';
import { modeOf, pointsEndPermissions } from '../routing/modes.ts';
import { ownScope } from '../routing/own-scope.ts';
import type { RoutesOf } from '../routing/route-table.ts';
import { pointsLifeWords } from '../words/points-end-words.ts';

interface PointsEndForm {
  after: PointsLife | 'NEVER';
  replaces: string;
}

const schema = Joi.object<PointsEndForm>({
  after: Joi.string()
    .valid('NEVER', ...pointsLives)
    .required(),
  replaces: Joi.string().max(64).allow('').default(''),
});

const path = '/points-end';

/** After how long without activity customers' points end, in each mode. */
export function pointsEndPages(routes: RoutesOf<'partner'>): void {
  routes.page(path, showPointsEnd);
  routes.operation(`${path}/set`, changePointsEnd, {
    modeOf,
    on: showPointsEnd,
    form: schema,
    input: ({ after, replaces }, ctx) => ({
      mode: checkedMode(ctx),
      after: after === 'NEVER' ? null : after,
      seen: replaces || null,
    }),
    to: path,
    said: ({ changed }) => (changed ? 'Saved.' : 'It is so already.'),
  });
}

async function showPointsEnd(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  given?: Filled,
): Promise<void> {
  const mode = modeOf(ctx);
  const found = await readPointsEnds(deps, ownScope(ctx), mode);
  const filled = given ?? filledWith({ after: found.active?.after ?? 'NEVER' });
  render(ctx, pointsEndPage(ctx, mode, found, filled));
}

function pointsEndPage(
  ctx: PageContext<'partner'>,
  mode: Mode,
  { active, settings }: ReadPointsEnd,
  filled: Filled,
): Page {
  const [first, last] = noticeDays;
  const mayChange = hasPermission(ctx.state.viewer, pointsEndPermissions[mode]);
  return page(
    {
      title: 'Points that end',
      lead: `Claimed points that a customer never spends can end. Each claim and each redemption renews all of a customer’s points. We tell the customer ${first} and ${last} days before, and what the points cost goes back to your funding.`,
    },
    section(
      `${mode} points`,
      definitions([
        ['They end', pointsLifeWords(active?.after ?? null)],
        ...(active === null ? [] : ([['Points earned before', 'never end']] as const)),
        ...(active === null ? [] : ([['Since', time(active.since)]] as const)),
      ]),
      mayChange
        ? form(
            ctx,
            { action: `${path}/set`, submit: 'Save', filled },
            select({
              name: 'after',
              label: 'Points end',
              hint: 'Whatever your customers have when you change this never ends, also under the setting before.',
              filled,
              choices: [null, ...pointsLives].map((life) => ({
                value: life ?? 'NEVER',
                text: pointsLifeWords(life),
              })),
            }),
            hidden('replaces', active?.settingId ?? ''),
          )
        : nothing,
    ),
    settings.length === 0
      ? nothing
      : section(
          'Changes',
          table({
            caption: `Changes of when ${mode} points end`,
            columns: {
              'Points end': ({ after }: PointsEndDoc) => pointsLifeWords(after),
              Since: ({ since }) => time(since),
            },
            rows: settings,
          }),
        ),
  );
}
