{{/* The name of all objects: the release's, so that two releases can coexist. */}}
{{- define "events.name" -}}
{{- .Values.fullnameOverride | default .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end }}

{{- define "events.image" -}}
{{- with .Values.image -}}
{{- with .registry }}{{ . }}/{{ end -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end -}}
{{- end -}}
{{- end }}

{{/* What alerts call the installation. */}}
{{- define "events.portalHost" -}}
{{ (urlParse .Values.config.PORTAL_URL).host }}
{{- end }}

{{/* (dict "root" $ "part" "api") */}}
{{- define "events.selector" -}}
app.kubernetes.io/name: {{ .root.Values.nameOverride | default .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .part }}
{{- end }}

{{/* More labels can be given, first those that take precedence: (dict "root" $ "part" "api" "more" (list …)). */}}
{{- define "events.labels" -}}
{{- $labels := include "events.selector" . | fromYaml -}}
{{- $chart := dict "app.kubernetes.io/version" .root.Chart.AppVersion "app.kubernetes.io/managed-by" .root.Release.Service "helm.sh/chart" (printf "%s-%s" .root.Chart.Name .root.Chart.Version) -}}
{{- $labels = merge $labels $chart -}}
{{- range .more }}{{ $labels = merge $labels (. | default dict) }}{{ end -}}
{{- toYaml (merge $labels .root.Values.labels) -}}
{{- end }}

{{/* The metadata of an object; (dict "root" $ "part" "api" "name" "api" "annotations" (dict …)). */}}
{{- define "events.metadata" -}}
name: {{ include "events.name" .root }}{{ with .name }}-{{ . }}{{ end }}
labels: {{- include "events.labels" . | nindent 2 }}
{{- with merge (dict) (.annotations | default dict) .root.Values.annotations }}
annotations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* What a part sets for its own pods, as YAML; (dict "root" $ "part" "api"). */}}
{{- define "events.own" -}}
{{- toYaml ((index .root.Values .part | default dict).pod | default dict) -}}
{{- end }}

{{/* The metadata of pods; (dict "root" $ "part" "api"). */}}
{{- define "events.podMetadata" -}}
{{- $own := include "events.own" . | fromYaml -}}
labels: {{- include "events.labels" (dict "root" .root "part" .part "more" (list $own.labels .root.Values.podLabels)) | nindent 2 }}
{{- with merge (dict) ($own.annotations | default dict) .root.Values.podAnnotations }}
annotations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* Where pods run: a part's own settings, or those of all; (dict "root" $ "part" "api"). */}}
{{- define "events.placement" -}}
{{- $values := .root.Values -}}
{{- $own := include "events.own" . | fromYaml -}}
{{- with $values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- range $setting := list "nodeSelector" "tolerations" "affinity" "priorityClassName" }}
{{- with (index $own $setting) | default (index $values $setting) }}
{{ dict $setting . | toYaml }}
{{- end }}
{{- end }}
{{- with merge (dict) ($own.spec | default dict) $values.podSpec }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Whom pods run as. */}}
{{- define "events.user" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  {{- if .Values.fixedUser }}
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  {{- end }}
  seccompProfile: { type: RuntimeDefault }
{{- end }}

{{/* Containers that run before a part's own, as a list; (dict "root" $ "part" "api"). */}}
{{- define "events.initContainers" -}}
{{- $own := include "events.own" . | fromYaml -}}
{{- with $own.initContainers | default .root.Values.initContainers }}
{{- toYaml . }}
{{- end }}
{{- end }}

{{/* Containers beside a part's own, as a list; (dict "root" $ "part" "api"). */}}
{{- define "events.extraContainers" -}}
{{- $own := include "events.own" . | fromYaml -}}
{{- with $own.extraContainers | default .root.Values.extraContainers }}
{{- toYaml . }}
{{- end }}
{{- end }}

{{- define "events.hasAuditLog" -}}
{{- if and .root.Values.auditLog.enabled (has .part (list "api" "portal" "worker" "backup")) }}yes{{ end -}}
{{- end }}

{{/* What all pods share; (dict "root" $ "part" "api"). */}}
{{- define "events.pod" -}}
{{- $values := .root.Values -}}
{{- with $values.serviceAccountName }}
serviceAccountName: {{ . }}
{{- end }}
{{ include "events.user" .root }}
{{- include "events.placement" . }}
volumes:
  - name: tmp
    emptyDir: { sizeLimit: {{ $values.volumeSize }} }
  - name: messages
    emptyDir: { sizeLimit: {{ $values.volumeSize }} }
  {{- if include "events.hasAuditLog" . }}
  - name: audit
    persistentVolumeClaim:
      claimName: {{ $values.auditLog.existingClaim | default (printf "%s-audit" (include "events.name" .root)) }}
  {{- end }}
  - name: secrets
    secret:
      secretName: {{ $values.secret.name }}
      # Readable by the process's user only.
      defaultMode: 0440
      items:
        # Only this process's own of the four.
        - { key: {{ index $values.secret.mongodbUris (ternary "api" .part (eq .part "backup")) }}, path: MONGODB_URI }
        {{- range $values.secret.keys }}
        - { key: {{ . }}, path: {{ . }} }
        {{- end }}
  {{- with $values.extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{- define "events.spread" -}}
topologySpreadConstraints:
  {{- range .root.Values.topologyKeys }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{- include "events.selector" $ | nindent 8 }}
  {{- end }}
{{- end }}

{{/* How a Deployment replaces pods. */}}
{{- define "events.strategy" -}}
{{- if eq (.type | default "") "Recreate" -}}
type: Recreate
{{- else -}}
{{- toYaml . -}}
{{- end -}}
{{- end }}

{{/* What no container may do. */}}
{{- define "events.confined" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}

{{/* What all containers share. */}}
{{- define "events.container" -}}
{{- $hasAuditLog := and (include "events.hasAuditLog" .) (ne .part "backup") -}}
image: {{ include "events.image" .root }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
{{ include "events.confined" . }}
volumeMounts:
  - { name: tmp, mountPath: /tmp }
  - { name: messages, mountPath: /data/messages }
  - { name: secrets, mountPath: /run/secrets/service, readOnly: true }
  {{- if $hasAuditLog }}
  - { name: audit, mountPath: /data/audit }
  {{- end }}
  {{- with .root.Values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
env:
  - { name: HOST, value: {{ .root.Values.listenHost | quote }} }
  - { name: ADMIN_HOST, value: {{ .root.Values.listenHost | quote }} }
  {{- if $hasAuditLog }}
  # A file of its own for each pod: two nodes cannot append to one.
  - { name: POD_NAME, valueFrom: { fieldRef: { fieldPath: metadata.name } } }
  - { name: AUDIT_LOG, value: /data/audit/$(POD_NAME).log }
  {{- end }}
  - { name: PORTAL_API_URL, value: "http://{{ include "events.name" .root }}-api:3000" }
  - { name: METRICS_PORT, value: "9464" }
  {{- range $name, $value := .root.Values.config }}
  - { name: {{ $name }}, value: {{ $value | quote }} }
  {{- end }}
  - { name: MONGODB_URI_FILE, value: /run/secrets/service/MONGODB_URI }
  {{- range .root.Values.secret.keys }}
  - { name: {{ . }}_FILE, value: /run/secrets/service/{{ . }} }
  {{- end }}
  {{- with .root.Values.extraEnv }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with .root.Values.extraEnvFrom }}
envFrom: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* Values that contradict each other, which a schema cannot find. */}}
{{- define "events.checks" -}}
{{- range $part := list "api" "portal" "worker" }}
{{- $of := index $.Values $part }}
{{- if $of.autoscaling.enabled }}
{{- if eq (int $of.replicas) 0 }}
{{- fail (printf "%s.replicas is 0, and %s.autoscaling.enabled is true: a stopped process is not scaled. Disable one of them." $part $part) }}
{{- end }}
{{- if lt (int $of.autoscaling.maxReplicas) (int $of.replicas) }}
{{- fail (printf "%s.autoscaling.maxReplicas is %d, less than the minimum, %s.replicas, which is %d." $part (int $of.autoscaling.maxReplicas) $part (int $of.replicas)) }}
{{- end }}
{{- end }}
{{- end }}
{{- if and .Values.auditLog.enabled .Values.config.AUDIT_LOG }}
{{- fail "config.AUDIT_LOG is set, and auditLog.enabled is true: set one of them." }}
{{- end }}
{{- if and .Values.backup.enabled (not .Values.backup.existingClaim) }}
{{- fail "backup.enabled needs a volume: name its claim in backup.existingClaim." }}
{{- end }}
{{- if and (eq .Values.worker.autoscaling.kind "keda") .Values.worker.autoscaling.enabled (not .Values.worker.autoscaling.prometheus) }}
{{- fail "worker.autoscaling.kind is keda, which needs the address in worker.autoscaling.prometheus." }}
{{- end }}
{{- end }}
