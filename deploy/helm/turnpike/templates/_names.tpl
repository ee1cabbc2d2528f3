{{/* Names and labels. Each takes the root, or a dict of the root and a role. */}}

{{- define "turnpike.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{/* Short enough for what is added to it: a pod's name has at most 63 characters. */}}
{{- define "turnpike.fullname" -}}
{{- $name := include "turnpike.name" . -}}
{{- $full := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) -}}
{{- default $full .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "turnpike.serviceAccountName" -}}
{{- default (include "turnpike.fullname" .) .Values.serviceAccount.name -}}
{{- end -}}

{{- define "turnpike.selector" -}}
app.kubernetes.io/name: {{ include "turnpike.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .role }}
{{- end -}}

{{- define "turnpike.labels" -}}
app.kubernetes.io/name: {{ include "turnpike.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "turnpike.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ default $.Chart.AppVersion .tag }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The port on which every role serves /healthz, /readyz and /metrics, and the API everything. */}}
{{- define "turnpike.port" -}}8080{{- end -}}

{{- define "turnpike.scheme" -}}
{{- ternary "HTTPS" "HTTP" (and (eq .role "api") (ne .root.Values.api.tls.existingSecret "")) -}}
{{- end -}}

{{/* The seconds that a role has to stop: it drains, and has ten seconds then. */}}
{{- define "turnpike.graceSeconds" -}}
{{- add 15 (ternary .root.Values.api.shutdownGraceSeconds 0 (eq .role "api")) -}}
{{- end -}}
