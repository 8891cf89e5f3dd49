{{/*
Volumes and mounts of a process of Adit: secrets, and the two folders that it writes to. Give (dict "root" $ "name" … "service" …).
*/}}
{{- define "adit.volumes" -}}
{{- $v := .root.Values -}}
{{- $data := .service.values.data -}}
{{ include "adit.secretsVolume" (dict "root" .root "gateway" (eq .name "gateway") "streams" (has .name (list "gateway" "decoder" "recorder")) "migrate" (eq .name "migrate")) }}
- name: tmp
  {{- /* Of models that clients add two at a time lie there, packed, unpacked and as they are stored. */}}
  {{- $models := ternary (mul 6 ($v.models.maxBytes | int64)) 0 (eq .name "gateway") }}
  emptyDir: { sizeLimit: {{ printf "%dMi" (max 1024 (div $models 1048576)) }} }
- name: data
  {{- if $data.storageClassName }}
  ephemeral:
    volumeClaimTemplate:
      spec:
        accessModes: [ReadWriteOnce]
        storageClassName: {{ $data.storageClassName }}
        resources: { requests: { storage: {{ $data.size }} } }
  {{- else }}
  emptyDir: { sizeLimit: {{ $data.size }} }
  {{- end }}
{{- if .service.models }}
{{- if eq $v.models.source "claim" }}
- name: models
  persistentVolumeClaim: { claimName: {{ $v.models.existingClaim }}, readOnly: true }
{{- else if eq $v.models.source "image" }}
- name: models
  emptyDir: {}
{{- end }}
{{- if $v.models.weightsClaim }}
- name: weights
  persistentVolumeClaim: { claimName: {{ $v.models.weightsClaim }}, readOnly: true }
{{- end }}
{{- end }}
{{- if has .name (list "gateway" "decoder") }}
{{- range $v.sources.local }}
- name: local-{{ .name }}
  {{- toYaml .volume | nindent 2 }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "adit.mounts" -}}
{{- $v := .root.Values -}}
- { name: secrets, mountPath: /secrets, readOnly: true }
- { name: tmp, mountPath: /tmp }
- { name: data, mountPath: /data }
{{- if .service.models }}
{{- if ne $v.models.source "none" }}
- { name: models, mountPath: /models, readOnly: true }
{{- end }}
{{- if $v.models.weightsClaim }}
- { name: weights, mountPath: /adit/models, readOnly: true }
{{- end }}
{{- end }}
{{- if has .name (list "gateway" "decoder") }}
{{- range $v.sources.local }}
- { name: local-{{ .name }}, mountPath: {{ .mountPath }}, readOnly: true }
{{- end }}
{{- end }}
{{- end -}}

{{/* Pods go where few of their kind are; nodes whose taints they don't tolerate are no place to be counted. */}}
{{- define "adit.spread" -}}
{{- $selector := include "adit.selector" .root -}}
{{- $name := .name -}}
{{- $spread := .root.Values.topologySpread -}}
{{- range $spread.topologyKeys }}
- maxSkew: 1
  topologyKey: {{ . }}
  whenUnsatisfiable: {{ $spread.whenUnsatisfiable }}
  nodeTaintsPolicy: Honor
  nodeAffinityPolicy: Honor
  matchLabelKeys: [pod-template-hash]
  labelSelector:
    matchLabels:
      {{- $selector | nindent 6 }}
      app.kubernetes.io/component: {{ $name }}
{{- end }}
{{- end -}}

{{- define "adit.priorityClass" -}}
{{- if .service.values.priorityClassName -}}
{{- .service.values.priorityClassName -}}
{{- else if .root.Values.priorityClasses.create -}}
{{- .root.Release.Namespace }}-{{ include "adit.fullname" .root }}-{{ ternary "mining" "serving" (not (empty .service.subscriptions)) -}}
{{- end -}}
{{- end -}}
