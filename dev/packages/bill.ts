import { fetchedBy, type Lockfile } from './lockfile.ts';

/** A bill of materials in CycloneDX format. */
interface Bill {
  components: { 'bom-ref': string }[];
  dependencies: { ref: string; dependsOn?: string[] }[];
}

/**
 * The bill without development dependencies, as marked in the lockfile. `npm sbom --omit=dev` also leaves out
 * packages that development needs too.
 */
export function withoutDevelopment<Whole extends Bill>(bill: Whole, lockfile: Lockfile): Whole {
  const used = new Set(
    fetchedBy(lockfile)
      .filter(([, { dev }]) => !dev)
      .map(([name, { version }]) => `${name}@${version}`),
  );
  const components = bill.components.filter((one) => used.has(one['bom-ref']));
  const developmentOnly = new Set(
    bill.components.map((one) => one['bom-ref']).filter((ref) => !used.has(ref)),
  );
  const dependencies = bill.dependencies
    .filter(({ ref }) => !developmentOnly.has(ref))
    .map(({ ref, dependsOn = [] }) => ({
      ref,
      dependsOn: dependsOn.filter((one) => !developmentOnly.has(one)),
    }));
  return { ...bill, components, dependencies };
}
