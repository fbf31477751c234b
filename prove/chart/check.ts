import { type KubernetesObject, openHelm } from './helm.ts';
import { createValidator } from './kubernetes-objects.ts';
import { unsafeIn } from './rules.ts';

const needed = 'secret.keys={MASTER_KEYS,CUSTOMER_HASH_KEY,SMTP_URL';

/** Values to render the chart with, in the format of `--set`. */
const accepted: Record<string, string[]> = {
  'the defaults': [],
  everything: [
    ...['monitoring.enabled=true', 'monitoring.labels.release=prometheus'],
    ...['worker.autoscaling.enabled=true', 'ingress.enabled=true', 'ingress.className=nginx'],
    ...['networkPolicy.fromOperators[0].ipBlock.cidr=10.1.0.0/16'],
    ...['networkPolicy.extraEgress[0].ports[0].port=4318'],
    ...['networkPolicy.extraEgress[0].to[0].ipBlock.cidr=10.2.0.0/16'],
    ...['config.OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4318'],
    ...['config.OTEL_TRACES_SAMPLER=parentbased_always_on'],
    `image.digest=sha256:${'0'.repeat(64)}`,
    ...['httpRoute.enabled=true', 'podAnnotations.team=rewards', 'serviceAccountName=rewards'],
    ...['extraEnv[0].name=LOG_LEVEL', 'extraEnv[0].value=debug'],
    ...['extraVolumes[0].name=ca', 'extraVolumes[0].configMap.name=ca'],
    ...['extraVolumeMounts[0].name=ca', 'extraVolumeMounts[0].mountPath=/etc/ca'],
    'affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].key=disk',
    'affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].operator=Exists',
  ],
  OpenShift: ['fixedUser=false', 'httpRoute.enabled=true'],
  'little besides': [
    ...['networkPolicy.enabled=false', 'api.autoscaling.enabled=false'],
    ...['temporalSecuredElsewhere=true', `${needed}}`],
  ],
  'Temporal Cloud': [`${needed},TEMPORAL_API_KEY}`],
};

/** Values that the schema must refuse, with its message. */
const refused: [string, RegExp][] = [
  ['config.MASTER_KEYS=secret', /MASTER_KEYS/],
  ['config.OTEL_EXPORTER_OTLP_HEADERS=key', /OTEL_EXPORTER_OTLP_HEADERS/],
  ['secret.keys={SMTP_URL}', /secret\.keys|secret\/keys/],
  ['secret.keys={MONGODB_URI,MASTER_KEYS,CUSTOMER_HASH_KEY,SMTP_URL}', /secret\.keys|secret\/keys/],
  ['secret.mongodbUris.worker=', /mongodbUris/],
  [`${needed}}`, /TEMPORAL_TLS|anyOf/],
  ['worker.autoscaling.waitingEach=0', /waitingEach/],
  ['networkPolicy.extraEgress=all', /extraEgress/],
  ['image.digest=latest', /digest/],
  ['apii.replicas=2', /apii/],
];

/**
 * Lints deploy/chart, renders it with several values, and validates each object.
 * @returns the objects by the values, the kinds among them that are not Kubernetes' own, and the mistakes
 * @throws Error without Go
 */
export async function checkChart() {
  const helm = await openHelm();
  const problems = await helm.lint();
  const validate = await createValidator();
  const rendered: { what: string; objects: KubernetesObject[]; unknown: string[] }[] = [];
  for (const [what, settings] of Object.entries(accepted)) {
    const objects = await helm.template(settings);
    for (const object of objects) problems.push(...validate(object), ...unsafeIn(object));
    const unknown = objects.filter((object) => !validate.knows(object)).map(({ kind }) => kind);
    rendered.push({ what, objects, unknown });
  }
  for (const [setting, says] of refused) {
    const message = await helm.template([setting]).then(
      () => 'nothing',
      (error: { stderr?: string }) => error.stderr ?? '',
    );
    if (!says.test(message)) problems.push(`the schema accepts ${setting}: ${message}`);
  }
  return { rendered, problems };
}
