/** Where Helm has to render a value: the object, the path to it, and what is there. */
export type Place = readonly [object: string, path: string, value?: unknown];

export interface Rendering {
  what: string;
  /** What differs from values.yaml. */
  values: object;
  /** For values, by their names: where each has to have an effect. */
  places: Record<string, readonly Place[]>;
}

const needed = ['MASTER_KEYS', 'CUSTOMER_HASH_KEY', 'SMTP_URL'];
const peers = (nth: number) => [{ ipBlock: { cidr: `10.${nth}.0.0/16` } }];
const small = (nth: number) => ({
  requests: { cpu: `${nth}m`, memory: `${nth}Mi` },
  limits: { memory: `${nth + 1}Mi` },
});
const confined = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true };
const container = (name: string) => ({
  name,
  image: 'busybox',
  securityContext: confined,
  resources: { limits: { memory: '64Mi' } },
});
const disk = {
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'Exists' }] }],
    },
  },
};

const kinds: Record<string, string> = { migrate: 'Job', backup: 'CronJob', test: 'Pod' };
const templates: Record<string, string> = { backup: 'spec jobTemplate spec template ', test: '' };

/** A path in the template of a part's pods. */
const inPod = (part: string, path: string, value?: unknown): Place => [
  `${kinds[part] ?? 'Deployment'} ${part}`,
  `${templates[part] ?? 'spec template '}${path}`,
  value,
];
/** A path in a part's own container. */
const inMain = (part: string, path: string, value?: unknown): Place =>
  inPod(part, `spec containers 0 ${path}`, value);
const inPolicy = (part: string, direction: string, value: object): Place => [
  `NetworkPolicy ${part}`,
  `spec ${direction}`,
  value,
];

const servers = ['api', 'portal', 'worker'];
const withPods = [...servers, 'migrate', 'backup'];

/** What a part sets for its own pods, unlike what all have. */
const ownPod = (part: string) => ({
  labels: { tier: part },
  annotations: { note: part },
  nodeSelector: { pool: part },
  tolerations: [{ key: part, operator: 'Exists' }],
  affinity: disk,
  priorityClassName: part,
  spec: { schedulerName: part },
  initContainers: [container(`before-${part}`)],
  ...(servers.includes(part) && { extraContainers: [container(`beside-${part}`)] }),
});

const placesOfOwnPod = (part: string): Record<string, readonly Place[]> => ({
  [`${part}.pod.labels`]: [inPod(part, 'metadata labels tier', part)],
  [`${part}.pod.annotations`]: [inPod(part, 'metadata annotations note', part)],
  [`${part}.pod.nodeSelector`]: [inPod(part, 'spec nodeSelector pool', part)],
  [`${part}.pod.tolerations`]: [inPod(part, 'spec tolerations 0 key', part)],
  [`${part}.pod.affinity`]: [inPod(part, 'spec affinity', disk)],
  [`${part}.pod.priorityClassName`]: [inPod(part, 'spec priorityClassName', part)],
  [`${part}.pod.spec`]: [inPod(part, 'spec schedulerName', part)],
  [`${part}.pod.initContainers`]: [inPod(part, 'spec initContainers 0 name', `before-${part}`)],
  ...(servers.includes(part) && {
    [`${part}.pod.extraContainers`]: [inPod(part, 'spec containers 1 name', `beside-${part}`)],
  }),
});

const forAll = (parts: readonly string[], path: string, value: unknown) =>
  parts.map((part) => inPod(part, path, value));

/** Every value of the chart, each where it is not its default. */
export const renderings: readonly Rendering[] = [
  { what: 'the defaults', values: {}, places: {} },
  {
    what: 'what all pods share',
    values: {
      nameOverride: 'rewards',
      fullnameOverride: 'shop',
      labels: { team: 'rewards', 'app.kubernetes.io/part-of': 'shops' },
      annotations: { owner: 'platform' },
      image: { registry: 'mirror.example.com', repository: 'ours', tag: '9', pullPolicy: 'Always' },
      imagePullSecrets: [{ name: 'pull' }],
      secret: {
        name: 'kept-elsewhere',
        keys: [...needed, 'SMS_URL', 'TEMPORAL_API_KEY'],
        mongodbUris: { api: 'A', portal: 'P', worker: 'W', migrate: 'M' },
      },
      config: {
        LOG_LEVEL: 'debug',
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
        OTEL_TRACES_SAMPLER: 'parentbased_always_on',
      },
      listenHost: '::',
      volumeSize: '64Mi',
      serviceAccountName: 'rewards',
      podLabels: { mesh: 'on', team: 'of pods' },
      podAnnotations: { scrape: 'no' },
      initContainers: [container('before')],
      extraContainers: [container('beside')],
      extraEnv: [{ name: 'SMS_FROM', value: 'Shop' }],
      extraEnvFrom: [{ configMapRef: { name: 'shared' } }],
      extraVolumes: [{ name: 'ca', configMap: { name: 'ca' } }],
      extraVolumeMounts: [{ name: 'ca', mountPath: '/etc/ca' }],
      revisionHistoryLimit: 3,
      disruptionBudgets: { maxUnavailable: '25%' },
      services: {
        annotations: { api: { name: 'a' }, portal: { name: 'p' }, operators: { name: 'o' } },
        ipFamilyPolicy: 'PreferDualStack',
        ipFamilies: ['IPv6', 'IPv4'],
      },
      topologyKeys: ['rack'],
      nodeSelector: { pool: 'all' },
      tolerations: [{ key: 'all', operator: 'Exists' }],
      affinity: disk,
      priorityClassName: 'high',
      podSpec: { dnsConfig: { options: [{ name: 'ndots', value: '1' }] } },
      auditLog: { storageClassName: 'shared', size: '2Gi', accessModes: ['ReadWriteOnce'] },
      backup: { enabled: true, existingClaim: 'dumps' },
      extraObjects: [
        {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: '{{ .Release.Name }}-more' },
          data: { key: 'value' },
        },
      ],
    },
    places: {
      nameOverride: [
        ['Deployment api', 'spec selector matchLabels app.kubernetes.io/name', 'rewards'],
        inPod('api', 'metadata labels app.kubernetes.io/name', 'rewards'),
        ['Service api', 'spec selector app.kubernetes.io/name', 'rewards'],
        ['NetworkPolicy api', 'spec podSelector matchLabels app.kubernetes.io/name', 'rewards'],
      ],
      fullnameOverride: [
        ['Service operators', 'metadata name', 'shop-operators'],
        inMain('portal', 'env name=PORTAL_API_URL value', 'http://shop-api:3000'),
        inPod('test', 'spec containers 0 command 4', 'http://shop-api:3000/statusz'),
      ],
      labels: [
        ['Service api', 'metadata labels team', 'rewards'],
        ['CronJob backup', 'metadata labels app.kubernetes.io/part-of', 'shops'],
      ],
      annotations: [
        ['Service api', 'metadata annotations owner', 'platform'],
        ['Job migrate', 'metadata annotations owner', 'platform'],
        ['Job migrate', 'metadata annotations helm.sh/hook', 'pre-install,pre-upgrade'],
      ],
      'image.registry': [inMain('api', 'image', 'mirror.example.com/ours:9')],
      'image.repository': [inMain('migrate', 'image', 'mirror.example.com/ours:9')],
      'image.tag': [inPod('test', 'spec containers 0 image', 'mirror.example.com/ours:9')],
      'image.pullPolicy': [inMain('worker', 'imagePullPolicy', 'Always')],
      imagePullSecrets: forAll([...withPods, 'test'], 'spec imagePullSecrets 0 name', 'pull'),
      'secret.name': forAll(
        withPods,
        'spec volumes name=secrets secret secretName',
        'kept-elsewhere',
      ),
      'secret.keys': [
        inPod('api', 'spec volumes name=secrets secret items key=SMS_URL path', 'SMS_URL'),
        inMain('api', 'env name=SMS_URL_FILE value', '/run/secrets/service/SMS_URL'),
      ],
      'secret.mongodbUris.api': forAll(
        ['api', 'backup'],
        'spec volumes name=secrets secret items path=MONGODB_URI key',
        'A',
      ),
      'secret.mongodbUris.portal': [
        inPod('portal', 'spec volumes name=secrets secret items path=MONGODB_URI key', 'P'),
      ],
      'secret.mongodbUris.worker': [
        inPod('worker', 'spec volumes name=secrets secret items path=MONGODB_URI key', 'W'),
      ],
      'secret.mongodbUris.migrate': [
        inPod('migrate', 'spec volumes name=secrets secret items path=MONGODB_URI key', 'M'),
      ],
      config: forAll(withPods, 'spec containers 0 env name=LOG_LEVEL value', 'debug'),
      listenHost: servers.flatMap((part) => [
        inMain(part, 'env name=HOST value', '::'),
        inMain(part, 'env name=ADMIN_HOST value', '::'),
      ]),
      volumeSize: servers.flatMap((part) => [
        inPod(part, 'spec volumes name=tmp emptyDir sizeLimit', '64Mi'),
        inPod(part, 'spec volumes name=messages emptyDir sizeLimit', '64Mi'),
      ]),
      serviceAccountName: forAll(withPods, 'spec serviceAccountName', 'rewards'),
      podLabels: [
        ...forAll(withPods, 'metadata labels mesh', 'on'),
        inPod('api', 'metadata labels team', 'of pods'),
      ],
      podAnnotations: forAll(withPods, 'metadata annotations scrape', 'no'),
      initContainers: forAll(withPods, 'spec initContainers 0 name', 'before'),
      extraContainers: [
        ...forAll(servers, 'spec containers 1 name', 'beside'),
        // A Job ends only with all its containers.
        ...forAll(['migrate', 'backup'], 'spec containers 1', undefined),
      ],
      extraEnv: forAll(withPods, 'spec containers 0 env name=SMS_FROM value', 'Shop'),
      extraEnvFrom: forAll(withPods, 'spec containers 0 envFrom 0 configMapRef name', 'shared'),
      extraVolumes: forAll(withPods, 'spec volumes name=ca configMap name', 'ca'),
      extraVolumeMounts: forAll(
        withPods,
        'spec containers 0 volumeMounts name=ca mountPath',
        '/etc/ca',
      ),
      revisionHistoryLimit: servers.map((part) => [
        `Deployment ${part}`,
        'spec revisionHistoryLimit',
        3,
      ]),
      'disruptionBudgets.maxUnavailable': servers.map((part) => [
        `PodDisruptionBudget ${part}`,
        'spec maxUnavailable',
        '25%',
      ]),
      'services.annotations.api': [['Service api', 'metadata annotations name', 'a']],
      'services.annotations.portal': [['Service portal', 'metadata annotations name', 'p']],
      'services.annotations.operators': [['Service operators', 'metadata annotations name', 'o']],
      'services.ipFamilyPolicy': [['Service api', 'spec ipFamilyPolicy', 'PreferDualStack']],
      'services.ipFamilies': [['Service operators', 'spec ipFamilies', ['IPv6', 'IPv4']]],
      topologyKeys: forAll(servers, 'spec topologySpreadConstraints 0 topologyKey', 'rack'),
      nodeSelector: forAll([...withPods, 'test'], 'spec nodeSelector pool', 'all'),
      tolerations: forAll([...withPods, 'test'], 'spec tolerations 0 key', 'all'),
      affinity: forAll([...withPods, 'test'], 'spec affinity', disk),
      priorityClassName: forAll([...withPods, 'test'], 'spec priorityClassName', 'high'),
      podSpec: forAll([...withPods, 'test'], 'spec dnsConfig options 0 name', 'ndots'),
      'auditLog.storageClassName': [
        ['PersistentVolumeClaim audit', 'spec storageClassName', 'shared'],
      ],
      'auditLog.size': [
        ['PersistentVolumeClaim audit', 'spec resources requests storage', '2Gi'],
        ['PersistentVolumeClaim audit', 'metadata annotations helm.sh/resource-policy', 'keep'],
      ],
      'auditLog.accessModes': [
        ['PersistentVolumeClaim audit', 'spec accessModes', ['ReadWriteOnce']],
      ],
      extraObjects: [['ConfigMap more', 'data key', 'value']],
    },
  },
  {
    what: 'what each part has of its own',
    values: {
      api: {
        replicas: 3,
        resources: small(1),
        autoscaling: { enabled: true, maxReplicas: 11, cpuPercent: 41 },
        strategy: { rollingUpdate: { maxUnavailable: 1, maxSurge: 2 } },
        terminationGracePeriodSeconds: 61,
        pod: ownPod('api'),
      },
      portal: {
        replicas: 4,
        resources: small(2),
        autoscaling: { enabled: true, maxReplicas: 12, cpuPercent: 42 },
        strategy: { rollingUpdate: { maxUnavailable: 2, maxSurge: 3 } },
        terminationGracePeriodSeconds: 62,
        pod: ownPod('portal'),
      },
      worker: {
        replicas: 5,
        resources: small(3),
        autoscaling: { enabled: true, maxReplicas: 13, waitingEach: '43' },
        strategy: { type: 'Recreate' },
        terminationGracePeriodSeconds: 63,
        pod: ownPod('worker'),
      },
      migrate: { deadlineSeconds: 120, resources: small(4), pod: ownPod('migrate') },
      backup: {
        enabled: true,
        schedule: '7 7 * * *',
        image: 'mongo:8.2',
        configKey: 'ADDRESS',
        existingClaim: 'dumps',
        keepDays: 3,
        resources: small(5),
        pod: ownPod('backup'),
      },
      auditLog: { existingClaim: 'theirs' },
      nodeSelector: { pool: 'not this' },
      priorityClassName: 'not-this',
      initContainers: [container('not-this')],
      image: { digest: `sha256:${'0'.repeat(64)}` },
    },
    places: {
      'api.replicas': [['HorizontalPodAutoscaler api', 'spec minReplicas', 3]],
      'portal.replicas': [['HorizontalPodAutoscaler portal', 'spec minReplicas', 4]],
      'worker.replicas': [['HorizontalPodAutoscaler worker', 'spec minReplicas', 5]],
      'api.autoscaling.enabled': [['Deployment api', 'spec replicas', undefined]],
      'portal.autoscaling.enabled': [['Deployment portal', 'spec replicas', undefined]],
      'worker.autoscaling.enabled': [['Deployment worker', 'spec replicas', undefined]],
      'api.autoscaling.maxReplicas': [['HorizontalPodAutoscaler api', 'spec maxReplicas', 11]],
      'portal.autoscaling.maxReplicas': [
        ['HorizontalPodAutoscaler portal', 'spec maxReplicas', 12],
      ],
      'worker.autoscaling.maxReplicas': [
        ['HorizontalPodAutoscaler worker', 'spec maxReplicas', 13],
      ],
      'api.autoscaling.cpuPercent': [
        [
          'HorizontalPodAutoscaler api',
          'spec metrics 0 resource target',
          { type: 'Utilization', averageUtilization: 41 },
        ],
      ],
      'portal.autoscaling.cpuPercent': [
        [
          'HorizontalPodAutoscaler portal',
          'spec metrics 0 resource target',
          { type: 'Utilization', averageUtilization: 42 },
        ],
      ],
      'worker.autoscaling.waitingEach': [
        [
          'HorizontalPodAutoscaler worker',
          'spec metrics 0 external target',
          { type: 'AverageValue', averageValue: '43' },
        ],
      ],
      'api.strategy': [
        ['Deployment api', 'spec strategy rollingUpdate', { maxUnavailable: 1, maxSurge: 2 }],
      ],
      'portal.strategy': [
        ['Deployment portal', 'spec strategy rollingUpdate', { maxUnavailable: 2, maxSurge: 3 }],
      ],
      'worker.strategy': [['Deployment worker', 'spec strategy', { type: 'Recreate' }]],
      'api.terminationGracePeriodSeconds': [inPod('api', 'spec terminationGracePeriodSeconds', 61)],
      'portal.terminationGracePeriodSeconds': [
        inPod('portal', 'spec terminationGracePeriodSeconds', 62),
      ],
      'worker.terminationGracePeriodSeconds': [
        inPod('worker', 'spec terminationGracePeriodSeconds', 63),
      ],
      'api.resources': [inMain('api', 'resources', small(1))],
      'portal.resources': [inMain('portal', 'resources', small(2))],
      'worker.resources': [inMain('worker', 'resources', small(3))],
      'migrate.resources': [inMain('migrate', 'resources', small(4))],
      'backup.resources': [
        inMain('backup', 'resources', small(5)),
        inPod('backup', 'spec initContainers name=dump resources', small(5)),
      ],
      // At the Job's deadline, a pod that still ran would be deleted with its log.
      'migrate.deadlineSeconds': [
        ['Job migrate', 'spec activeDeadlineSeconds', 120],
        inPod('migrate', 'spec activeDeadlineSeconds', 105),
      ],
      'backup.enabled': [['CronJob backup', 'metadata name', 'events-backup']],
      'backup.schedule': [['CronJob backup', 'spec schedule', '7 7 * * *']],
      'backup.image': [inPod('backup', 'spec initContainers name=dump image', 'mongo:8.2')],
      'backup.configKey': [inPod('backup', 'spec volumes name=dump secret items 0 key', 'ADDRESS')],
      'backup.existingClaim': [
        inPod('backup', 'spec volumes name=backups persistentVolumeClaim claimName', 'dumps'),
      ],
      'backup.keepDays': [inPod('backup', 'spec initContainers name=dump args 0', / \+4320 /)],
      'auditLog.existingClaim': [
        ...forAll(
          [...servers, 'backup'],
          'spec volumes name=audit persistentVolumeClaim claimName',
          'theirs',
        ),
        ['PersistentVolumeClaim audit', '', undefined],
      ],
      'image.digest': [inMain('api', 'image', `partner-events@sha256:${'0'.repeat(64)}`)],
      ...Object.assign({}, ...withPods.map(placesOfOwnPod)),
    },
  },
  {
    what: 'what leads to it and looks after it',
    values: {
      config: { PORTAL_URL: 'https://shop.example.com' },
      ingress: {
        enabled: true,
        className: 'nginx',
        annotations: { size: '1m' },
        apiHost: 'api.shop.example.com',
        portalHost: 'shop.example.com',
        tlsSecret: 'shop-tls',
      },
      httpRoute: {
        enabled: true,
        parentRefs: [{ name: 'inner', namespace: 'net' }],
        annotations: { zone: 'a' },
        apiHost: 'api.route.example.com',
        portalHost: 'route.example.com',
      },
      networkPolicy: {
        fromPublic: peers(1),
        fromOperators: peers(2),
        fromMonitoring: peers(3),
        toDns: peers(4),
        toMongodb: peers(5),
        toTemporal: peers(6),
        toOutside: peers(7),
        mongodbPort: 1,
        temporalPort: 2,
        outsidePorts: [3],
        extraEgress: [{ ports: [{ port: 4318 }], to: peers(8) }],
      },
      monitoring: { enabled: true, labels: { release: 'prometheus' } },
      backup: { enabled: true, existingClaim: 'dumps' },
    },
    places: {
      'ingress.enabled': [['Ingress', 'metadata name', 'events']],
      'ingress.className': [['Ingress', 'spec ingressClassName', 'nginx']],
      'ingress.annotations': [['Ingress', 'metadata annotations size', '1m']],
      'ingress.apiHost': [['Ingress', 'spec rules 0 host', 'api.shop.example.com']],
      'ingress.portalHost': [['Ingress', 'spec rules 1 host', 'shop.example.com']],
      'ingress.tlsSecret': [['Ingress', 'spec tls 0 secretName', 'shop-tls']],
      'httpRoute.enabled': [['HTTPRoute portal', 'metadata name', 'events-portal']],
      'httpRoute.parentRefs': [['HTTPRoute api', 'spec parentRefs 0 name', 'inner']],
      'httpRoute.annotations': [['HTTPRoute api', 'metadata annotations zone', 'a']],
      'httpRoute.apiHost': [['HTTPRoute api', 'spec hostnames', ['api.route.example.com']]],
      'httpRoute.portalHost': [['HTTPRoute portal', 'spec hostnames', ['route.example.com']]],
      'networkPolicy.fromPublic': [
        inPolicy('portal', 'ingress', { ports: [{ port: 3001 }], from: peers(1) }),
      ],
      'networkPolicy.fromOperators': [
        inPolicy('api', 'ingress', { ports: [{ port: 3002 }], from: peers(2) }),
      ],
      'networkPolicy.fromMonitoring': servers.map((part) =>
        inPolicy(part, 'ingress', { ports: [{ port: 9464 }], from: peers(3) }),
      ),
      'networkPolicy.toDns': [...withPods, 'test'].map((part) =>
        inPolicy(part, 'egress', {
          ports: [
            { port: 53, protocol: 'UDP' },
            { port: 53, protocol: 'TCP' },
          ],
          to: peers(4),
        }),
      ),
      'networkPolicy.toMongodb': withPods.map((part) =>
        inPolicy(part, 'egress', { ports: [{ port: 1 }], to: peers(5) }),
      ),
      'networkPolicy.toTemporal': [...servers, 'migrate'].map((part) =>
        inPolicy(part, 'egress', { ports: [{ port: 2 }], to: peers(6) }),
      ),
      'networkPolicy.toOutside': servers.map((part) =>
        inPolicy(part, 'egress', { ports: [{ port: 3 }], to: peers(7) }),
      ),
      'networkPolicy.mongodbPort': [
        inPolicy('backup', 'egress', { ports: [{ port: 1 }], to: peers(5) }),
      ],
      'networkPolicy.temporalPort': [
        inPolicy('migrate', 'egress', { ports: [{ port: 2 }], to: peers(6) }),
      ],
      'networkPolicy.outsidePorts': [
        inPolicy('worker', 'egress', { ports: [{ port: 3 }], to: peers(7) }),
      ],
      'networkPolicy.extraEgress': withPods.map((part) =>
        inPolicy(part, 'egress', { ports: [{ port: 4318 }], to: peers(8) }),
      ),
      'monitoring.enabled': [
        ['PodMonitor', 'spec podMetricsEndpoints 0 relabelings 0 replacement', 'shop.example.com'],
        [
          'PrometheusRule',
          'spec groups name=expected rules 0 labels partner_events',
          'shop.example.com',
        ],
        ['ConfigMap dashboard', 'data partner-events.json', /"value":"shop\.example\.com"/],
      ],
      'monitoring.labels': [
        ['PodMonitor', 'metadata labels release', 'prometheus'],
        ['PrometheusRule', 'metadata labels release', 'prometheus'],
      ],
    },
  },
  {
    what: 'KEDA',
    values: {
      api: { autoscaling: { kind: 'keda' } },
      portal: { autoscaling: { enabled: true, kind: 'keda' } },
      worker: {
        autoscaling: { enabled: true, kind: 'keda', prometheus: 'http://prometheus:9090' },
      },
    },
    places: {
      'api.autoscaling.kind': [
        ['ScaledObject api', 'spec triggers 0 metadata value', '70'],
        ['ScaledObject api', 'spec scaleTargetRef name', 'events-api'],
      ],
      'portal.autoscaling.kind': [['ScaledObject portal', 'spec maxReplicaCount', 6]],
      'worker.autoscaling.kind': [
        ['ScaledObject worker', 'spec minReplicaCount', 2],
        [
          'ScaledObject worker',
          'spec triggers 0 metadata query',
          /partner_events="rewards\.example/,
        ],
        ['ScaledObject worker', 'spec triggers 0 metadata threshold', '500'],
        ['HorizontalPodAutoscaler worker', '', undefined],
      ],
      'worker.autoscaling.prometheus': [
        ['ScaledObject worker', 'spec triggers 0 metadata serverAddress', 'http://prometheus:9090'],
      ],
    },
  },
  {
    what: 'nothing running',
    values: {
      api: { replicas: 0, autoscaling: { enabled: false } },
      portal: { replicas: 0 },
      worker: { replicas: 0 },
    },
    places: {
      'api.replicas': [['Deployment api', 'spec replicas', 0]],
      'portal.replicas': [['Deployment portal', 'spec replicas', 0]],
      'worker.replicas': [['Deployment worker', 'spec replicas', 0]],
    },
  },
  {
    what: 'little besides',
    values: {
      networkPolicy: { enabled: false },
      disruptionBudgets: { enabled: false },
      api: { autoscaling: { enabled: false } },
      auditLog: { enabled: false },
      fixedUser: false,
      temporalSecuredElsewhere: true,
      secret: { keys: needed },
      config: { AUDIT_LOG: '/elsewhere/audit.log' },
    },
    places: {
      'networkPolicy.enabled': [['NetworkPolicy api', '', undefined]],
      'disruptionBudgets.enabled': [['PodDisruptionBudget api', '', undefined]],
      'auditLog.enabled': [
        ['PersistentVolumeClaim audit', '', undefined],
        inPod('api', 'spec volumes name=audit', undefined),
        inMain('api', 'env name=AUDIT_LOG value', '/elsewhere/audit.log'),
      ],
      fixedUser: forAll(
        [...withPods.slice(0, -1), 'test'],
        'spec securityContext runAsUser',
        undefined,
      ),
      temporalSecuredElsewhere: [inMain('api', 'env name=TEMPORAL_API_KEY_FILE', undefined)],
    },
  },
  {
    what: 'Temporal Cloud',
    values: { secret: { keys: [...needed, 'TEMPORAL_API_KEY'] } },
    places: {
      'secret.keys': [
        inMain(
          'worker',
          'env name=TEMPORAL_API_KEY_FILE value',
          '/run/secrets/service/TEMPORAL_API_KEY',
        ),
      ],
    },
  },
];

/** What the chart does by default, whatever is set. */
export const defaultPlaces: readonly Place[] = [
  // Without MongoDB, a response of ours says more than a Service without pods.
  ...['api', 'portal'].map((part) => inMain(part, 'readinessProbe httpGet path', '/healthz')),
  inMain('worker', 'readinessProbe httpGet path', '/readyz'),
  ...servers.map(
    (part): Place => [
      `PodDisruptionBudget ${part}`,
      'spec unhealthyPodEvictionPolicy',
      'AlwaysAllow',
    ],
  ),
  // What failed can be read until the next attempt.
  [
    'Job migrate',
    'metadata annotations helm.sh/hook-delete-policy',
    'before-hook-creation,hook-succeeded',
  ],
];

const keys = (...some: string[]) => `secret.keys={${some.join(',')}}`;

/** Settings that must be refused, with the message. */
export const refusedSettings: readonly [setting: string, says: RegExp][] = [
  ['config.MASTER_KEYS=secret', /MASTER_KEYS/],
  ['config.OTEL_EXPORTER_OTLP_HEADERS=key', /OTEL_EXPORTER_OTLP_HEADERS/],
  ['config.PORTAL_ULR=https://rewards.example.com', /PORTAL_ULR/],
  ['config.HOST=localhost', /HOST/],
  [keys('SMTP_URL'), /secret\.keys|secret\/keys/],
  [keys('MONGODB_URI', ...needed), /secret\.keys|secret\/keys/],
  ['secret.mongodbUris.worker=', /mongodbUris/],
  [keys(...needed), /TEMPORAL_TLS|anyOf/],
  ['worker.autoscaling.waitingEach=0', /waitingEach/],
  ['networkPolicy.extraEgress=all', /extraEgress/],
  ['image.digest=latest', /digest/],
  ['apii.replicas=2', /apii/],
  ['api.pod.nodeselector.pool=jobs', /nodeselector/],
  ['migrate.pod.extraContainers[0].name=beside', /extraContainers/],
  ['api.strategy.maxSurge=1', /maxSurge/],
  ['podSpec.containers[0].name=other', /containers/],
  ['labels.helm\\.sh/chart=other', /helm\.sh\/chart/],
  ['podLabels.app\\.kubernetes\\.io/name=other', /app\.kubernetes\.io\/name/],
  ['listenHost=localhost', /listenHost/],
  ['volumeSize=much', /volumeSize/],
  ['services.ipFamilies={IPv5}', /ipFamilies/],
  ['disruptionBudgets.maxUnavailable=0', /maxUnavailable/],
  ['auditLog.accessModes={ReadOnlyMany}', /accessModes/],
  ['api.replicas=11', /api\.autoscaling\.maxReplicas is 10, less than .* which is 11/],
  ['api.replicas=0', /api\.replicas is 0, and api\.autoscaling\.enabled is true/],
  ['config.AUDIT_LOG=/data/audit.log', /config\.AUDIT_LOG is set, and auditLog\.enabled is true/],
  ['backup.enabled=true', /backup\.existingClaim/],
  [
    'worker.autoscaling.enabled=true,worker.autoscaling.kind=keda',
    /worker\.autoscaling\.prometheus/,
  ],
];
