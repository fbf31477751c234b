import { Router } from '@koa/router';
import { takeForm } from '../../models/identity/kept-forms.ts';
import { FactorDueError } from '../../operations/execute.ts';
import type { AnyOperation, Operation } from '../../operations/operation.ts';
import { countWaiting } from '../../views/console.ts';
import type { Audience, PageContext, PortalContext, PortalState } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { fieldNames } from '../forms/fields.ts';
import { type Action, submit } from '../forms/submit.ts';
import {
  admit,
  askForSecondFactor,
  requireAny,
  requireInMode,
  requireRoutePermission,
  secondFactor,
} from '../middleware/access.ts';
import { ownOrigin, readForm, requireWellFormed } from '../middleware/form.ts';
import { upload } from '../middleware/upload.ts';
import { auditViewedData, viewingOperatorOf } from '../session/viewing.ts';
import { actionOf, type Click, needsOf } from './click.ts';
import { liveKinds, type ParamKind, paramKinds } from './params.ts';
import type { Needs, PageHandler, PermissionByMode, PermissionOf, Route } from './route.ts';

/** Declares the routes of one audience, so that none lacks its checks. */
export interface RoutesOf<A extends Audience> {
  /** A page: a GET without side effects. */
  page(path: string, handler: PageHandler<A>, needs?: Needs<A>): void;
  /** A form that does more than carry out an operation: a POST with a CSRF token. */
  action<Values>(path: string, action: Action<A, Values>, needs?: Needs<A>): void;
  /** A form that carries out an operation. */
  operation<Values, Input extends object, Outcome, Found, Approval>(
    path: string,
    operation: Operation<Input, Outcome, Found, PageDeps, Approval>,
    click: Click<A, Values, NoInfer<Input>, NoInfer<Outcome>>,
  ): void;
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

/** The kind of each parameter of a path: what its name says, if nothing else is given. */
function kindsIn(path: string, given: Needs<Audience>['params'] = {}): Record<string, ParamKind> {
  const named = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  return Object.fromEntries(
    named.map((name) => {
      const kind = given[name] ?? name.replace(/Id$/, '');
      if (!Object.hasOwn(paramKinds, kind)) {
        throw new Error(`${path} does not declare the kind of :${name}`);
      }
      return [name, kind as ParamKind];
    }),
  );
}

/** Declares all routes, and keeps them for tests that go through them all. */
export function createRoutes(deps: PageDeps) {
  const router = new Router<PortalState>();
  const table: Route[] = [];

  /** @returns the route; two if its permission depends on the mode */
  function declare<A extends Audience>(
    method: Route['method'],
    path: string,
    audience: A,
    permission: PermissionOf[A],
    { secondFactor = false, secretInPath = false, takesFile = false, params: given }: Needs<A>,
    fields: readonly string[] = [],
  ): readonly [Route, ...Route[]] {
    const params = kindsIn(path, given);
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
    permission: PermissionOf[A],
    routes: readonly [Route, ...Route[]],
  ) {
    const [route] = routes;
    const isForm = route.method === 'POST' && !route.secretInPath;
    const reading = [
      ...(route.method === 'POST' ? [ownOrigin(deps.config.portal.url)] : []),
      ...(isForm ? [route.takesFile ? upload : readForm] : []),
    ];
    const read = async (ctx: PortalContext) => {
      for (const one of reading) await one(ctx, async () => undefined);
    };
    return [
      admit(deps, route, read),
      ...reading,
      ...(isByMode(permission)
        ? [
            requireAny(routes),
            requireWellFormed(route.params),
            requireInMode(deps, permission, routes),
          ]
        : [
            requireRoutePermission(route),
            requireWellFormed(route.params),
            ...(route.secondFactor ? [secondFactor(deps, route.secondFactor)] : []),
          ]),
    ];
  }

  function routesOf<A extends Audience>(audience: A): RoutesOf<A> {
    const usual = (
      audience === 'partner' || audience === 'operator' ? 'read' : null
    ) as PermissionOf[A];

    function page(path: string, handler: PageHandler<A>, given: Needs<A> = {}): void {
      const needs = needsOf(audience, given);
      const { permission = usual } = needs;
      const routes = declare('GET', path, audience, permission, needs);
      const show = async (ctx: PageContext<A>) => {
        const { viewer } = ctx.state;
        if (!isFile(path)) await readMenu(ctx, deps);
        const operator = viewingOperatorOf(viewer);
        if (operator) await auditViewedData(deps, ctx, operator, routes[0]);
        const values = viewer && !operator && (await takeForm(deps, viewer.session, ctx.path));
        await (values ? handler(ctx, deps, { values, errors: {} }) : handler(ctx, deps));
      };
      router.get(path, ...checks(permission, routes), show);
    }

    function action<Values>(path: string, one: Action<A, Values>, given: Needs<A> = {}): void {
      const needs = needsOf(audience, given);
      const { permission = usual } = needs;
      const routes = declare('POST', path, audience, permission, needs, fieldNames(one.schema));
      const { retry } = one;
      const again: typeof retry =
        retry &&
        (async (ctx, _deps, filled) => {
          await readMenu(ctx, deps);
          await retry(ctx, deps, filled);
        });
      const shown = { ...one, ...(again && { retry: again }) };
      const send = async (ctx: PageContext<A>) => {
        await submit(ctx, deps, shown).catch(async (error: unknown) => {
          const { viewer } = ctx.state;
          if (!(error instanceof FactorDueError) || !viewer) throw error;
          await askForSecondFactor(deps, ctx as unknown as PortalContext, viewer.session);
        });
      };
      router.post(path, ...checks(permission, routes), send);
    }

    return {
      page,
      action,
      operation(path, operation, click) {
        const { modeOf, params, takesFile } = click;
        const needs: Needs<A> = {
          operation: operation as AnyOperation,
          ...(modeOf && { modeOf }),
          ...(params && { params }),
        };
        if (click.page) page(path, click.page, needs);
        action(path, actionOf(operation, click), { ...needs, takesFile: takesFile ?? false });
      },
    };
  }

  return { router, table: table as readonly Route[], of: routesOf };
}
