import { program } from 'commander';

/** What can be proved, each by a script beside this one, and what it needs besides Node. */
const proofs = {
  compose:
    'deploys the last commit with Docker Compose, and operates it (needs a Docker engine with Compose)',
  crash:
    'kills processes under load, and checks that nothing answered is lost (needs nothing else)',
  failover: 'breaks a replica set of three, and Temporal, under load (needs nothing else)',
  restore:
    'destroys MongoDB, restores a backup beside a newer Temporal, and reports what was lost (needs nothing else)',
  upgrade: 'upgrades a previous release under load, and rolls back (needs the history in Git)',
  attack:
    'attacks a running service from outside, and as one of its operators (needs that service)',
  reference:
    'checks a running service against both references with Schemathesis (needs Python and PyPI)',
  medusa:
    'sells in a Medusa shop with the plug-in (needs PostgreSQL, Redis, Chromium and the npm registry)',
  woocommerce:
    'sells in a WooCommerce shop that a connection listens to (needs MariaDB, PHP and its files)',
  alerts:
    'has each alert fire for its reason, beside Prometheus and Alertmanager (needs Go and root)',
  chart: 'renders the Helm chart, and validates its objects (needs Go)',
  cluster: 'installs the chart on Kubernetes, and operates it (needs kubectl, a cluster and Go)',
};

program
  .name('prove')
  .description('Proves with real processes what a test of the code cannot show.');
for (const [what, description] of Object.entries(proofs)) {
  program.command(what, description, { executableFile: `${what}.ts` });
}
await program.parseAsync();
