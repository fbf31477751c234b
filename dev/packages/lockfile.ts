/** A package in package-lock.json. */
export interface Locked {
  name?: string;
  version: string;
  resolved?: string;
  integrity?: string;
  link?: true;
  /** Needed only for development. */
  dev?: true;
  hasInstallScript?: true;
}

export interface Lockfile {
  packages: Record<string, Locked>;
}

export interface Distribution {
  tarball: string;
  integrity: string;
}

export const lockfiles = [
  'package-lock.json',
  'dev/tools/clients/package-lock.json',
  'dev/model/quint/package-lock.json',
  'dev/mutations/instrumenter/package-lock.json',
] as const;

/** Whether it comes from a registry: it is neither the project, nor a workspace, nor a link. */
const isFetched = (path: string, { link }: Locked): boolean =>
  path.includes('node_modules/') && !link;

/** The packages from a registry, with their names. */
export function fetchedBy({ packages }: Lockfile): [name: string, Locked][] {
  return Object.entries(packages)
    .filter(([path, locked]) => isFetched(path, locked))
    .map(([path, locked]) => [locked.name ?? path.slice(nameAt(path)), locked]);
}

const nameAt = (path: string) => path.lastIndexOf('node_modules/') + 'node_modules/'.length;

/**
 * The lockfile with the origin and hash of each package, which npm leaves out for other platforms than the
 * one that the lockfile was made on.
 * @param lookUp the registry's entry of a version; undefined if there is none
 */
export async function completed(
  lockfile: Lockfile,
  lookUp: (name: string, version: string) => Promise<Distribution | undefined>,
): Promise<Lockfile> {
  const packages = { ...lockfile.packages };
  for (const [path, locked] of Object.entries(packages)) {
    if (!isFetched(path, locked) || (locked.resolved && locked.integrity)) continue;
    const found = await lookUp(locked.name ?? path.slice(nameAt(path)), locked.version);
    if (!found) continue;
    const { version, resolved, integrity, ...others } = locked;
    packages[path] = { version, resolved: found.tarball, integrity: found.integrity, ...others };
  }
  return { ...lockfile, packages };
}
