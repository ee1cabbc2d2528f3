{{/*
The secrets of a role, as YAML of {variable: {secret, key}}. `own` are the values of the role.
*/}}
{{- define "turnpike.secrets" -}}
{{- $found := dict -}}
{{- range $name, $from := mergeOverwrite (deepCopy .root.Values.secrets) .own.secrets -}}
{{- $missing := printf "secrets.%s: name a Secret, or set existingSecret" $name -}}
{{- $secret := required $missing (default $.root.Values.existingSecret $from.secret) -}}
{{- $_ := set $found $name (dict "secret" $secret "key" (default $name $from.key)) -}}
{{- end -}}
{{- if eq .role "signer" -}}
{{- $_ := set $found "KEYSTORE_PASSPHRASE" (pick .own.passphrase "secret" "key") -}}
{{- end -}}
{{- toYaml $found -}}
{{- end -}}

{{- define "turnpike.secretsFolder" -}}/etc/turnpike/secrets{{- end -}}

{{/* What the chart decides itself comes first; values.schema.json keeps it out of `config`. */}}
{{- define "turnpike.env" -}}
{{- $port := include "turnpike.port" . -}}
{{- $isApi := eq .role "api" -}}
{{- $env := dict "TURNPIKE_ENV" "live" "HOST" "0.0.0.0" "MIGRATE_AT_START" "false" -}}
{{- $_ := set $env "ROLES" (ternary "api" .role (eq .role "migrations")) -}}
{{- if $isApi -}}
{{- $_ := set $env "PORT" $port -}}
{{- $_ := set $env "SHUTDOWN_GRACE_SECONDS" (toString .own.shutdownGraceSeconds) -}}
{{- else -}}
{{- $_ := set $env "METRICS_PORT" $port -}}
{{- end -}}
{{- if .root.Values.api.tls.existingSecret -}}
{{- if $isApi -}}
{{- $_ := set $env "TLS_CERT_PATH" "/etc/turnpike/tls/tls.crt" -}}
{{- $_ := set $env "TLS_KEY_PATH" "/etc/turnpike/tls/tls.key" -}}
{{- else -}}
{{- /* Live asks every process for one of the two, also those that nobody calls. */ -}}
{{- $_ := set $env "TRUST_PROXY" "127.0.0.1" -}}
{{- end -}}
{{- end -}}
{{- if eq .role "signer" -}}
{{- $_ := set $env "KEYSTORE_PATH" (printf "/etc/turnpike/keystore/%s" .own.keystore.key) -}}
{{- $_ := set $env "JOURNAL_DIR" "/var/lib/turnpike" -}}
{{- end -}}
{{- range $name, $from := include "turnpike.secrets" . | fromYaml -}}
{{- $_ := set $env (printf "%s_FILE" $name) (printf "%s/%s/%s" (include "turnpike.secretsFolder" .) $from.secret $from.key) -}}
{{- end -}}
{{- range $name, $value := mergeOverwrite (deepCopy .root.Values.config) .own.config -}}
{{- /* Kubernetes replaces $(NAME); $$ keeps it from that. */ -}}
{{- $_ := set $env $name (replace "$(" "$$(" $value) -}}
{{- end -}}
{{- range $name, $value := $env }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end -}}
{{- end -}}

{{/* Each Secret is a volume with the keys that the role needs, readable by the pod's group. */}}
{{- define "turnpike.secretVolumes" -}}
{{- $keys := dict -}}
{{- range $from := include "turnpike.secrets" . | fromYaml -}}
{{- $_ := set $keys $from.secret (append (get $keys $from.secret | default list) $from.key) -}}
{{- end -}}
{{- toYaml $keys -}}
{{- end -}}

{{- define "turnpike.probe" -}}
httpGet:
  path: {{ .path }}
  port: http
  scheme: {{ include "turnpike.scheme" . }}
{{- end -}}

{{/* A pod of a role: of a Deployment, the StatefulSet or the job. */}}
{{- define "turnpike.pod" -}}
{{- $selector := include "turnpike.selector" . -}}
{{- $isJob := eq .role "migrations" -}}
{{- $isSigner := eq .role "signer" -}}
{{- $hasTls := and (eq .role "api") (ne .root.Values.api.tls.existingSecret "") -}}
metadata:
  labels:
    {{- $selector | nindent 4 }}
    {{- if not (or $isJob (eq .role "api")) }}
    turnpike.io/worker: 'true'
    {{- end }}
  {{- with .own.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  serviceAccountName: {{ ternary .root.Values.migrations.serviceAccountName (include "turnpike.serviceAccountName" .root) $isJob }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  {{- with .root.Values.image.pullSecrets }}
  imagePullSecrets:
    {{- range . }}
    - name: {{ . }}
    {{- end }}
  {{- end }}
  {{- with .own.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  {{- if $isJob }}
  restartPolicy: Never
  {{- end }}
  terminationGracePeriodSeconds: {{ include "turnpike.graceSeconds" . }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 65532
    runAsGroup: 65532
    fsGroup: 65532
    # Otherwise each mount would make the journal's files writable by the group, and the signer would refuse them.
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile:
      type: RuntimeDefault
  containers:
    - name: {{ .role }}
      image: {{ include "turnpike.image" .root | quote }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      {{- if $isJob }}
      args: [dist/src/cli/migrate.js]
      {{- end }}
      env:
        {{- include "turnpike.env" . | trim | nindent 8 }}
      {{- if not $isJob }}
      ports:
        - name: http
          containerPort: {{ include "turnpike.port" . }}
      # The start may wait for the database for DATABASE_WAIT_SECONDS.
      startupProbe:
        {{- include "turnpike.probe" (dict "path" "/healthz" "role" .role "root" .root) | nindent 8 }}
        periodSeconds: 2
        timeoutSeconds: 2
        failureThreshold: 90
      livenessProbe:
        {{- include "turnpike.probe" (dict "path" "/healthz" "role" .role "root" .root) | nindent 8 }}
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      readinessProbe:
        {{- include "turnpike.probe" (dict "path" "/readyz" "role" .role "root" .root) | nindent 8 }}
        periodSeconds: 5
        timeoutSeconds: 4
        failureThreshold: 2
      {{- end }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities:
          drop: [ALL]
      resources:
        {{- toYaml .own.resources | nindent 8 }}
      volumeMounts:
        - name: tmp
          mountPath: /tmp
        {{- range $index, $secret := include "turnpike.secretVolumes" . | fromYaml | keys | sortAlpha }}
        - name: secrets-{{ $index }}
          mountPath: {{ include "turnpike.secretsFolder" $ }}/{{ $secret }}
          readOnly: true
        {{- end }}
        {{- if $hasTls }}
        - name: tls
          mountPath: /etc/turnpike/tls
          readOnly: true
        {{- end }}
        {{- if $isSigner }}
        - name: keystore
          mountPath: /etc/turnpike/keystore
          readOnly: true
        - name: journal
          mountPath: /var/lib/turnpike
        {{- end }}
  volumes:
    - name: tmp
      emptyDir:
        sizeLimit: 64Mi
    {{- $keys := include "turnpike.secretVolumes" . | fromYaml }}
    {{- range $index, $secret := keys $keys | sortAlpha }}
    - name: secrets-{{ $index }}
      secret:
        secretName: {{ $secret }}
        defaultMode: 0440
        items:
          {{- range get $keys $secret | uniq | sortAlpha }}
          - key: {{ . }}
            path: {{ . }}
          {{- end }}
    {{- end }}
    {{- if $hasTls }}
    - name: tls
      secret:
        secretName: {{ .root.Values.api.tls.existingSecret }}
        defaultMode: 0440
    {{- end }}
    {{- if $isSigner }}
    - name: keystore
      secret:
        secretName: {{ .own.keystore.secret }}
        defaultMode: 0440
        items:
          - key: {{ .own.keystore.key }}
            path: {{ .own.keystore.key }}
    {{- end }}
  {{- if not (or $isJob $isSigner) }}
  topologySpreadConstraints:
    {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
    - topologyKey: {{ . }}
      maxSkew: 1
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- $selector | nindent 10 }}
      matchLabelKeys: [pod-template-hash]
    {{- end }}
  {{- end }}
  {{- with .own.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .own.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .own.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
