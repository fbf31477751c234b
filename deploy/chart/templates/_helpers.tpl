{{/* The name of all objects: the release's, so that two releases can coexist. */}}
{{- define "events.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end }}

{{- define "events.image" -}}
{{- with .Values.image -}}
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
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .part }}
{{- end }}

{{- define "events.labels" -}}
{{ include "events.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{/* What all pods share; (dict "root" $ "part" "api"). */}}
{{- define "events.pod" -}}
{{- $values := .root.Values -}}
{{- with $values.serviceAccountName }}
serviceAccountName: {{ . }}
{{- end }}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  {{- if $values.fixedUser }}
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  {{- end }}
  seccompProfile: { type: RuntimeDefault }
{{- with $values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
volumes:
  - name: tmp
    emptyDir: {}
  - name: messages
    emptyDir: {}
  - name: secrets
    secret:
      secretName: {{ $values.secret.name }}
      # Readable by the process's user only.
      defaultMode: 0440
      items:
        # Only this process's own of the four.
        - { key: {{ index $values.secret.mongodbUris .part }}, path: MONGODB_URI }
        {{- range $values.secret.keys }}
        - { key: {{ . }}, path: {{ . }} }
        {{- end }}
  {{- with $values.extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{/* The metadata of all pods; (dict "root" $ "part" "api"). */}}
{{- define "events.podMetadata" -}}
labels: {{- include "events.labels" . | nindent 2 }}
{{- with .root.Values.podAnnotations }}
annotations: {{- toYaml . | nindent 2 }}
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

{{/* What all containers share. */}}
{{- define "events.container" -}}
image: {{ include "events.image" .root }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
volumeMounts:
  - { name: tmp, mountPath: /tmp }
  - { name: messages, mountPath: /data/messages }
  - { name: secrets, mountPath: /run/secrets/service, readOnly: true }
  {{- with .root.Values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
env:
  - { name: ADMIN_HOST, value: 0.0.0.0 }
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
{{- end }}
