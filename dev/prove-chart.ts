import { program } from 'commander';
import { log } from './log.ts';
import { openHelm } from './prove-chart/helm.ts';
import { createValidator } from './prove-chart/kubernetes-objects.ts';
import { unsafeIn } from './prove-chart/rules.ts';

program
  .name('prove:chart')
  .description(
    'Lints deploy/chart, renders it with several values, and holds each object against the OpenAPI of Kubernetes. Needs Go. Exits 1 when something is wrong.',
  )
  .parse();

const everything = [
  ...['monitoring.enabled=true', 'monitoring.labels.release=prometheus'],
  ...['worker.autoscaling.enabled=true', 'ingress.enabled=true', 'ingress.className=nginx'],
  ...['networkPolicy.fromOperators[0].ipBlock.cidr=10.1.0.0/16'],
  `image.digest=sha256:${'0'.repeat(64)}`,
];
const accepted: Record<string, string[]> = {
  'the defaults': [],
  everything,
  'little besides': [
    ...['networkPolicy.enabled=false', 'api.autoscaling.enabled=false'],
    ...['temporalSecuredElsewhere=true', 'secret.keys={MASTER_KEYS,CUSTOMER_HASH_KEY,SMTP_URL}'],
  ],
  'Temporal Cloud': ['secret.keys={MASTER_KEYS,CUSTOMER_HASH_KEY,SMTP_URL,TEMPORAL_API_KEY}'],
};
/** Values that the schema must refuse, and what it says. */
const refused: [string, RegExp][] = [
  ['config.MASTER_KEYS=secret', /MASTER_KEYS/],
  ['secret.keys={SMTP_URL}', /secret\.keys|secret\/keys/],
  ['secret.keys={MONGODB_URI,MASTER_KEYS,CUSTOMER_HASH_KEY,SMTP_URL}', /secret\.keys|secret\/keys/],
  ['secret.mongodbUris.worker=', /mongodbUris/],
  ['secret.keys={MASTER_KEYS,CUSTOMER_HASH_KEY,SMTP_URL}', /TEMPORAL_TLS|anyOf/],
  ['worker.autoscaling.unbegunEach=0', /unbegunEach/],
  ['image.digest=latest', /digest/],
  ['apii.replicas=2', /apii/],
];

const helm = await openHelm();
const problems = [...(await helm.lint())];
const validate = await createValidator();
for (const [what, settings] of Object.entries(accepted)) {
  const objects = await helm.template(settings);
  const unknown = objects.filter((object) => !validate.knows(object));
  for (const object of objects) problems.push(...validate(object), ...unsafeIn(object));
  log(
    `${what}: ${objects.length} objects, ${unknown.length} of them no kinds of Kubernetes (${unknown.map(({ kind }) => kind).join(', ') || 'none'})`,
  );
}
for (const [setting, says] of refused) {
  const said = await helm.template([setting]).then(
    () => 'nothing',
    (error: { stderr?: string }) => error.stderr ?? '',
  );
  if (!says.test(said)) problems.push(`${setting} is not refused by the schema: ${said}`);
}
for (const problem of problems) log(`  ${problem}`);
log(problems.length === 0 ? 'The chart is as Kubernetes wants it.' : `${problems.length} PROBLEMS`);
process.exit(problems.length === 0 ? 0 : 1);
