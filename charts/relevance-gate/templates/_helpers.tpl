{{/*
The name of every object: the chart's when the release's name holds it, else both. Cut to 52 characters, so that
the longest suffix that is added to it stays within 63.
*/}}
{{- define "relevance-gate.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride -}}
{{- else if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* The labels that select the manager's pods. They never change: a Deployment's selector is immutable. */}}
{{- define "relevance-gate.selectorLabels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{/* The labels of every object of the chart. */}}
{{- define "relevance-gate.labels" -}}
{{ include "relevance-gate.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- end -}}

{{/* The image of the manager and of the evaluation Jobs. A digest wins over a tag. */}}
{{- define "relevance-gate.image" -}}
{{- with .Values.image.registry -}}{{- trimSuffix "/" . -}}/{{- end -}}
{{- .Values.image.repository -}}
{{- if .Values.image.digest -}}@{{- .Values.image.digest -}}
{{- else -}}:{{- .Values.image.tag | default .Chart.AppVersion -}}
{{- end -}}
{{- end -}}

{{- define "relevance-gate.serviceAccountName" -}}
{{- .Values.serviceAccount.name | default (include "relevance-gate.fullname" .) -}}
{{- end -}}

{{/*
What the manager may do where it looks after gates; config/rbac/role.yaml says the same. Secrets are read one at a
time by name and never listed. No verb on finalizers, ServiceAccounts or Roles.
*/}}
{{- define "relevance-gate.managerRules" -}}
- apiGroups: [relevancegate.dev]
  resources: [relevancegates]
  verbs: [get, list, watch]
- apiGroups: [relevancegate.dev]
  resources: [relevancegates/status]
  verbs: [patch]
- apiGroups: [batch]
  resources: [jobs]
  verbs: [create, delete, get, list, patch, watch]
- apiGroups: [""]
  resources: [pods]
  verbs: [get, list, watch]
{{- if .Values.reports.enabled }}
- apiGroups: [""]
  resources: [pods/log]
  verbs: [get]
{{- end }}
- apiGroups: [""]
  resources: [configmaps]
  verbs: [create, get, list, patch, watch]
- apiGroups: [""]
  resources: [secrets]
  verbs: [get]
# Read only when a Job has had no pod for a minute: the event says why.
- apiGroups: [""]
  resources: [events]
  verbs: [get, list]
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [create, patch]
{{- end -}}

{{/* What a reader of gates may do. */}}
{{- define "relevance-gate.viewerRules" -}}
- apiGroups: [relevancegate.dev]
  resources: [relevancegates, relevancegates/status]
  verbs: [get, list, watch]
{{- end -}}

{{/* What a writer of gates may do. An approval is an annotation, so whoever may patch a gate may approve. */}}
{{- define "relevance-gate.editorRules" -}}
- apiGroups: [relevancegate.dev]
  resources: [relevancegates]
  verbs: [create, delete, deletecollection, get, list, patch, update, watch]
- apiGroups: [relevancegate.dev]
  resources: [relevancegates/status]
  verbs: [get]
{{- end -}}
