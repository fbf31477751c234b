import { program } from 'commander';

/** What can be proved, each by a script beside this one. */
const proofs = {
  compose: 'deploys the last commit with Docker Compose, and operates it (needs Go, or an engine)',
  crash: 'kills processes under load, and checks that nothing answered is lost',
  failover: 'breaks a replica set of three, and Temporal, under load',
  restore: 'destroys MongoDB, restores a backup beside a newer Temporal, and reports what was lost',
  upgrade: 'upgrades a previous release under load, and rolls back',
  attack: 'attacks a running service from outside, and as one of its operators',
  reference: 'checks a running service against both references with Schemathesis',
  medusa: 'sells in a Medusa shop with the plug-in (downloads Medusa once)',
  woocommerce: 'sells in a WooCommerce shop that a connection listens to (needs its files)',
  alerts: 'has each alert fire for its reason, beside Prometheus and Alertmanager (needs Go, root)',
  chart: 'renders the Helm chart, and validates its objects (needs Go)',
  cluster: 'installs the chart on Kubernetes, and operates it (needs Go, or a cluster)',
};

program
  .name('prove')
  .description('Proves with real processes what a test of the code cannot show.');
for (const [what, description] of Object.entries(proofs)) {
  program.command(what, description, { executableFile: `${what}.ts` });
}
await program.parseAsync();
