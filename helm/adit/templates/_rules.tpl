{{/*
The alerts of files/alerts.yaml that belong to what is installed. `$here` in an expression becomes the labels that tell this
installation from others, `$apiBudget` and `$jobsBudget` the share that may fail; `when` names what an alert needs and is left out of the rule.
*/}}
{{- define "adit.rules" -}}
{{- $services := include "adit.services" . | fromYaml -}}
{{- $here := printf "namespace=%q,installation=%q" .Release.Namespace .Release.Name -}}
{{- $kube := printf "namespace=%q,cronjob=%q" .Release.Namespace (printf "%s-backup" (include "adit.fullname" .)) -}}
{{- $apiBudget := subf 1 (divf .Values.monitoring.slo.api 100) | printf "%.5f" -}}
{{- $jobsBudget := subf 1 (divf .Values.monitoring.slo.jobs 100) | printf "%.5f" -}}
{{- $rules := list -}}
{{- range $name, $service := $services -}}
{{- $scaling := $service.values.autoscaling | default dict -}}
{{- $least := ternary $scaling.minReplicas $service.values.replicas (default false $scaling.enabled) | int -}}
{{- if $least -}}
{{- $rule := dict
  "alert" "AditServiceGone"
  "expr" (printf "absent(up{%s,component=%q} == 1)" $here $name)
  "for" "5m"
  "labels" (dict "severity" "critical" "component" $name)
  "annotations" (dict "summary" (printf "No process of %s answers in %s" $name $.Release.Namespace))
-}}
{{- $rules = append $rules $rule -}}
{{- end -}}
{{- end -}}
{{- range (.Files.Get "files/alerts.yaml" | fromYaml).alerts -}}
{{- $needs := .when | default "always" -}}
{{- if or (eq $needs "always") (and (eq $needs "gpu") $.Values.inference.gpu.families) (and (eq $needs "backup") $.Values.backup.enabled) -}}
{{- $_ := set . "expr" (.expr | replace "$here" $here | replace "$backup" $kube | replace "$apiBudget" $apiBudget | replace "$jobsBudget" $jobsBudget | trim) -}}
{{- $rules = append $rules (omit . "when") -}}
{{- end -}}
{{- end -}}
{{- $kept := list -}}
{{- range $rules -}}
{{- if not (has .alert $.Values.monitoring.rules.disabled) -}}
{{- $_ := set .annotations "runbook_url" (printf "%s#%s" $.Values.monitoring.rules.runbookUrl (lower .alert)) -}}
{{- $kept = append $kept . -}}
{{- end -}}
{{- end -}}
{{- toYaml $kept -}}
{{- end -}}
