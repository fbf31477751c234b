import type { Container } from './deployment.ts';

/** They run at each start, and exit. */
export const jobs = [
  ...['migrate', 'mongodb-users', 'mongodb-members'],
  ...['temporal-schema', 'temporal-certificates'],
];

/** Listens below port 1024. */
const mayListen = ['caddy'];
/** Without capabilities, root is as anybody else. */
const mayBeRoot = ['caddy', 'temporal-certificates'];

/** What no container may do, and what each must be. @returns what is wrong */
export function findContainerExposures(
  containers: readonly Container[],
  secrets: readonly string[],
): string[] {
  return containers.flatMap((container) => {
    const { service, Config, HostConfig, State } = container;
    const { ReadonlyRootfs, CapAdd, CapDrop, SecurityOpt, LogConfig, Memory, PidsLimit } =
      HostConfig;
    const isRoot = ['', '0', 'root', '0:0'].includes(Config.User);
    const isDone = State.Status === 'exited' && State.ExitCode === 0;
    const added = mayListen.includes(service) ? 'NET_BIND_SERVICE' : '';
    const checks: Record<string, boolean> = {
      'runs as root': !isRoot || mayBeRoot.includes(service),
      'has root’s capabilities':
        CapDrop?.join() === 'ALL' && (CapAdd ?? []).join().replace('CAP_', '') === added,
      'can gain privileges': SecurityOpt?.includes('no-new-privileges:true') ?? false,
      'can write to its image': ReadonlyRootfs,
      'has no limit on memory or processes': Memory > 0 && (PidsLimit ?? 0) > 0,
      'has no limit on its logs': LogConfig.Config['max-size'] !== undefined,
      'is not healthy':
        isDone ||
        (State.Health?.Status ?? State.Status.replace('running', 'healthy')) === 'healthy',
      'shows a secret to docker inspect': !secrets.some((one) =>
        JSON.stringify(container).includes(one),
      ),
    };
    return Object.entries(checks).flatMap(([what, isFine]) =>
      isFine ? [] : [`${service} ${what}`],
    );
  });
}
