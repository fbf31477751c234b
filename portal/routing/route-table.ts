import { Router } from '@koa/router';
import type { ObjectSchema } from 'joi';
import { takeForm } from '../../models/identity/kept-forms.ts';
import { FactorDueError } from '../../operations/execute.ts';
import { countWaiting } from '../../views/console.ts';
import type { Audience, PageContext, PortalContext, PortalState } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { fieldNames } from '../forms/fields.ts';
import { type Filled, type Problems, submit } from '../forms/submit.ts';
import {
  admit,
  askForSecondFactor,
  requireAny,
  requireInMode,
  requirePermission,
  secondFactor,
} from '../middleware/access.ts';
import { form, ownOrigin, wellFormed } from '../middleware/form.ts';
import { upload } from '../middleware/upload.ts';
import { auditViewedData, viewingOperatorOf } from '../session/viewing.ts';
import { liveKinds, type ParamKind } from './params.ts';
import type { PermissionByMode, Route, RouteSpec } from './route.ts';

export type PageHandler<A extends Audience> = (
  ctx: PageContext<A>,
  deps: PageDeps,
  /** The values entered in its form before the second factor was requested. */
  filled?: Filled,
) => void | Promise<void>;

/** A form's fields and what submitting it does. */
export interface Action<A extends Audience, Values> {
  /** Schema of the fields, as text; an empty field counts as absent. */
  schema: ObjectSchema<Values>;
  /**
   * Further checks before anything is done, so that all problems show at once.
   * @param values of the fields that are well-formed
   */
  check?(
    ctx: PageContext<A>,
    deps: PageDeps,
    values: Partial<Values>,
  ): Problems | Promise<Problems>;
  /** Does it, then redirects. A ServiceError with a 4xx status, or a FieldError, shows the form again. */
  act(ctx: PageContext<A>, deps: PageDeps, values: Values): Promise<void>;
  /** The currency of the form's amounts, if it has no field for it; by default that of the partner who submits it. */
  currency?(ctx: PageContext<A>, deps: PageDeps): Promise<string>;
  /** Shows the form again with its values and errors; if absent, an error page is shown. */
  retry?(ctx: PageContext<A>, deps: PageDeps, filled: Filled): void | Promise<void>;
}

export type Routes = ReturnType<typeof createRoutes>;

/** A path with an extension is a download, which has no menu. */
const isFile = (path: string): boolean => /\.\w+$/.test(path);

/** Counts what waits for operators, for their menu. Redirects, files and failed requests do without it. */
async function readMenu(
  { state: { viewer } }: Pick<PageContext, 'state'>,
  { models, now }: Pick<PageDeps, 'models' | 'now'>,
): Promise<void> {
  if (viewer?.kind === 'operator') viewer.waiting = await countWaiting(models, now());
}

const isByMode = (permission: string | PermissionByMode | null): permission is PermissionByMode =>
  typeof permission === 'object' && permission !== null;

const inLive = (params: Readonly<Record<string, ParamKind>>): Record<string, ParamKind> =>
  Object.fromEntries(Object.entries(params).map(([name, kind]) => [name, liveKinds[kind] ?? kind]));

/** Declares all routes, so that none lacks its checks and tests can go through them all. */
export function createRoutes(deps: PageDeps) {
  const router = new Router<PortalState>();
  const table: Route[] = [];

  /** @returns the route; two if its permission depends on the mode */
  function declare<A extends Audience>(
    method: Route['method'],
    spec: RouteSpec<A>,
    fields: readonly string[] = [],
  ): readonly [Route, ...Route[]] {
    const { path, audience, permission, params = {} } = spec;
    const { secondFactor = false, secretInPath = false, takesFile = false } = spec;
    const named = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name);
    if (named.toSorted().join() !== Object.keys(params).toSorted().join()) {
      throw new Error(`${path} does not declare the kind of each parameter`);
    }
    const common = {
      method,
      path,
      audience,
      secondFactor,
      params,
      secretInPath,
      takesFile,
      fields,
    };
    const routes: [Route, ...Route[]] = isByMode(permission)
      ? [
          { ...common, mode: 'TEST', permission: permission.TEST },
          {
            ...common,
            mode: 'LIVE',
            permission: permission.LIVE,
            secondFactor: true,
            params: inLive(params),
          },
        ]
      : [{ ...common, mode: null, permission }];
    table.push(...routes);
    return routes;
  }

  /** In the order in which a refusal reveals least: signed in, sent from our form, permitted, second factor. */
  function checks<A extends Audience>(
    { permission }: RouteSpec<A>,
    routes: readonly [Route, ...Route[]],
  ) {
    const [route] = routes;
    const isForm = route.method === 'POST' && !route.secretInPath;
    const reading = [
      ...(route.method === 'POST' ? [ownOrigin(deps.config.portal.url)] : []),
      ...(isForm ? [route.takesFile ? upload : form] : []),
    ];
    const read = async (ctx: PortalContext) => {
      for (const one of reading) await one(ctx, async () => undefined);
    };
    return [
      admit(deps, route, read),
      ...reading,
      ...(isByMode(permission)
        ? [requireAny(routes), wellFormed(route.params), requireInMode(deps, permission, routes)]
        : [
            requirePermission(route),
            wellFormed(route.params),
            ...(route.secondFactor ? [secondFactor(deps, route.secondFactor)] : []),
          ]),
    ];
  }

  return {
    router,
    table: table as readonly Route[],
    /** A page: a GET without side effects. */
    page<A extends Audience>(spec: RouteSpec<A>, handler: PageHandler<A>): void {
      const routes = declare('GET', spec);
      const show = async (ctx: PageContext<A>) => {
        const { viewer } = ctx.state;
        if (!isFile(spec.path)) await readMenu(ctx, deps);
        const operator = viewingOperatorOf(viewer);
        if (operator) await auditViewedData(deps, ctx, operator, routes[0]);
        const values = viewer && !operator && (await takeForm(deps, viewer.session, ctx.path));
        await (values ? handler(ctx, deps, { values, errors: {} }) : handler(ctx, deps));
      };
      router.get(spec.path, ...checks(spec, routes), show);
    },
    /** A form's action: a POST with a CSRF token. */
    action<A extends Audience, Values>(spec: RouteSpec<A>, action: Action<A, Values>): void {
      const routes = declare('POST', spec, fieldNames(action.schema));
      const { retry } = action;
      const again: typeof retry =
        retry &&
        (async (ctx, _deps, filled) => {
          await readMenu(ctx, deps);
          await retry(ctx, deps, filled);
        });
      const shown = { ...action, ...(again && { retry: again }) };
      const send = async (ctx: PageContext<A>) => {
        await submit(ctx, deps, shown).catch(async (error: unknown) => {
          const { viewer } = ctx.state;
          if (!(error instanceof FactorDueError) || !viewer) throw error;
          await askForSecondFactor(deps, ctx as unknown as PortalContext, viewer.session);
        });
      };
      router.post(spec.path, ...checks(spec, routes), send);
    },
  };
}
