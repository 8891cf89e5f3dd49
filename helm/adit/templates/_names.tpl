{{- define "adit.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* The account that pods run as. */}}
{{- define "adit.serviceAccount" -}}
{{- with .Values.serviceAccount -}}
{{- if .name }}{{ .name }}{{ else }}{{ include "adit.fullname" $ }}{{ end -}}
{{- end -}}
{{- end -}}

{{- define "adit.selector" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{/* Labels of an object; give (dict "root" $ "component" "gateway"). */}}
{{- define "adit.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{ include "adit.selector" .root }}
app.kubernetes.io/component: {{ .component }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: adit
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
{{- end -}}

{{/* Labels of a pod: not the chart's version, which would replace pods that stay the same. */}}
{{- define "adit.podLabels" -}}
{{ include "adit.selector" .root }}
app.kubernetes.io/component: {{ .component }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: adit
{{- end -}}

{{/* What an image is called: its digest counts more than its tag. */}}
{{- define "adit.image" -}}
{{- with .Values.image -}}
{{- if .digest }}{{ .repository }}@{{ .digest }}{{ else }}{{ .repository }}:{{ default $.Chart.AppVersion .tag }}{{ end -}}
{{- end -}}
{{- end -}}

{{- define "adit.gpuImage" -}}
{{- $own := .Values.inference.gpu.image -}}
{{- $repository := default .Values.image.repository $own.repository -}}
{{- if $own.digest -}}
{{ $repository }}@{{ $own.digest }}
{{- else -}}
{{ $repository }}:{{ default (printf "%s-cuda" (default .Chart.AppVersion .Values.image.tag)) $own.tag }}
{{- end -}}
{{- end -}}

{{- define "adit.pullSecrets" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end -}}

{{/* Where pods go that are no service. */}}
{{- define "adit.defaultPlace" -}}
{{- with .Values.defaults.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.defaults.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Of every pod: nobody, by the rules of PodSecurity `restricted`. */}}
{{- define "adit.podSecurity" -}}
runAsNonRoot: true
runAsUser: {{ . }}
runAsGroup: {{ . }}
fsGroup: {{ . }}
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "adit.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* The port of a URL; a host may end in digits, and one of IPv6 has colons of its own. */}}
{{- define "adit.portOf" -}}
{{- $url := urlParse . -}}
{{- $port := regexReplaceAll "^\\[.*\\]" $url.host "" | regexFind ":[0-9]+$" | trimPrefix ":" -}}
{{- default (ternary "443" "80" (eq $url.scheme "https")) $port -}}
{{- end -}}

{{- define "adit.evaluationName" -}}
{{ include "adit.fullname" . }}-evaluation
{{- end -}}

{{/* How the gateway is spoken to: `http`, or `https` with a certificate of its own. */}}
{{- define "adit.apiScheme" -}}
{{- ternary "https" "http" (not (empty .Values.api.tls.existingSecret)) -}}
{{- end -}}
