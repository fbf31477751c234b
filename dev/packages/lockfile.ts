/** A package as package-lock.json has it. */
export interface Locked {
  name?: string;
  version: string;
  resolved?: string;
  integrity?: string;
  link?: true;
  /** Needed for development alone. */
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

/** The lockfiles that something is installed by. */
export const lockfiles = [
  'package-lock.json',
  'dev/tools/clients/package-lock.json',
  'dev/model/quint/package-lock.json',
  'dev/mutations/instrumenter/package-lock.json',
] as const;

/** Whether it comes from a registry: neither the project, nor its workspaces, nor what is linked. */
const isFetched = (path: string, { link }: Locked): boolean =>
  path.includes('node_modules/') && !link;

/** What comes from a registry, with its name. */
export function fetchedBy({ packages }: Lockfile): [name: string, Locked][] {
  return Object.entries(packages)
    .filter(([path, locked]) => isFetched(path, locked))
    .map(([path, locked]) => [locked.name ?? path.slice(nameAt(path)), locked]);
}

const nameAt = (path: string) => path.lastIndexOf('node_modules/') + 'node_modules/'.length;

/**
 * The lockfile with where each package comes from, and what it must hash to. npm leaves both out of entries for
 * other platforms than that on which the lockfile was made.
 * @param lookUp what the registry says of a version; undefined where it does not have it
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
