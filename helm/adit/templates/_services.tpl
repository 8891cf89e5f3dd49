{{/*
The services that run, by name: what files/services.yaml says of each, under `app` the program, and its values over the
defaults. Families on GPUs leave their own service: they are `inference-gpu`, or `inference-<family>-gpu` each.
*/}}
{{- define "adit.services" -}}
{{- $facts := .Files.Get "files/services.yaml" | fromYaml -}}
{{- $gpu := .Values.inference.gpu -}}
{{- $services := dict -}}
{{- range $name, $fact := $facts -}}
{{- if not (has $fact.family $gpu.families) -}}
{{- $own := mustMergeOverwrite (deepCopy $.Values.defaults) (deepCopy (index $.Values.services $name)) -}}
{{- $_ := set $services $name (mustMergeOverwrite (deepCopy $fact) (dict "app" $name "values" $own)) -}}
{{- end -}}
{{- end -}}
{{- if $gpu.families -}}
{{- $own := pick $gpu "replicas" "runtimeClassName" "nodeSelector" "tolerations" "settings" "autoscaling" "rollingUpdate" "resources" "extraEnv" "extraVolumes" "extraVolumeMounts" "extraContainers" -}}
{{- $values := mustMergeOverwrite (deepCopy .Values.defaults) (deepCopy $own) -}}
{{- $base := dict "port" 9464 "models" true "gpu" true "values" $values -}}
{{- if $gpu.together -}}
{{- $subscriptions := dict -}}
{{- $images := list -}}
{{- range $gpu.families -}}
{{- $fact := index $facts (printf "inference-%s" .) -}}
{{- $_ := mustMergeOverwrite $subscriptions $fact.subscriptions -}}
{{- $images = concat $images ($fact.images | default list) -}}
{{- end -}}
{{- $app := printf "inference-%s" (first $gpu.families) -}}
{{- $_ := set $services "inference-gpu" (mustMergeOverwrite (deepCopy $base) (dict "app" $app "families" $gpu.families "subscriptions" $subscriptions "images" $images)) -}}
{{- else -}}
{{- range $gpu.families -}}
{{- $app := printf "inference-%s" . -}}
{{- $_ := set $services (printf "%s-gpu" $app) (mustMergeOverwrite (deepCopy $base) (dict "app" $app) (pick (index $facts $app) "subscriptions" "images")) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toYaml $services -}}
{{- end -}}

{{/* The most pods of a service; give its entry of adit.services. */}}
{{- define "adit.mostPods" -}}
{{- $scaling := .values.autoscaling | default dict -}}
{{- if $scaling.enabled }}{{ $scaling.maxReplicas | int }}{{ else }}{{ .values.replicas | int }}{{ end -}}
{{- end -}}

{{/* Two chunks for each process that decodes or looks, so that none waits for the next one. */}}
{{- define "adit.maxChunksInFlight" -}}
{{- if .Values.jobs.maxChunksInFlight -}}
{{- .Values.jobs.maxChunksInFlight | int -}}
{{- else -}}
{{- $pods := 0 -}}
{{- range include "adit.services" . | fromYaml -}}
{{- if .subscriptions }}{{ $pods = add $pods (include "adit.mostPods" . | int) }}{{ end -}}
{{- end -}}
{{- max 8 (mul 2 $pods) -}}
{{- end -}}
{{- end -}}

{{/* Bytes of a quantity such as 40Gi. */}}
{{- define "adit.bytes" -}}
{{- $units := dict "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 -}}
{{- mulf (regexFind "^[0-9.]+" . | float64) (get $units (regexFind "[A-Za-z]+$" .) | default 1 | float64) | int64 -}}
{{- end -}}

{{/* What no schema can say; a sentence for each. */}}
{{- define "adit.check" -}}
{{- if not .Values.evaluation.enabled -}}
{{- if not .Values.kafka.brokers }}{{ fail "kafka.brokers is empty: name the brokers as host:port, or set evaluation.enabled to try Adit with servers of its own." }}{{ end -}}
{{- if not .Values.database.existingSecret }}{{ fail "database.existingSecret is empty: name the secret that holds the address of PostgreSQL, or set evaluation.enabled to try Adit with servers of its own." }}{{ end -}}
{{- if not .Values.objects.endpoint }}{{ fail "objects.endpoint is empty: give the address of MinIO or another S3-compatible server, or set evaluation.enabled to try Adit with servers of its own." }}{{ end -}}
{{- if and (not .Values.objects.existingSecret) (not .Values.objects.identity.source) }}{{ fail "objects.existingSecret is empty: name the secret that holds the access key of the object store, or say in objects.identity.source how pods get keys without one." }}{{ end -}}
{{- if and .Values.objects.existingSecret .Values.objects.identity.source }}{{ fail "objects.existingSecret has keys, which count instead of objects.identity: empty one of both." }}{{ end -}}
{{- if and (eq .Values.objects.identity.source "token") (not .Values.objects.identity.roleArn) }}{{ fail "objects.identity.source is token: name the role in objects.identity.roleArn." }}{{ end -}}
{{- else if or .Values.kafka.brokers .Values.database.existingSecret .Values.objects.endpoint .Values.objects.existingSecret .Values.objects.identity.source -}}
{{- fail "evaluation.enabled brings Kafka, PostgreSQL and MinIO along: leave kafka.brokers, database.existingSecret, objects.endpoint, objects.existingSecret and objects.identity.source empty, or switch it off." -}}
{{- end -}}
{{- if and .Values.database.migration.existingSecret (not (include "adit.migratesFirst" .)) }}{{ fail "database.migration.existingSecret is for the job of migrate.enabled, which evaluation.enabled does without: empty it, or switch the job on." }}{{ end -}}
{{- if and (not .Values.serviceAccount.create) (not .Values.serviceAccount.name) }}{{ fail "serviceAccount.create is false: name the account that is there in serviceAccount.name." }}{{ end -}}
{{- if and .Values.monitoring.serviceMonitor.enabled .Values.monitoring.podMonitor.enabled }}{{ fail "monitoring has a ServiceMonitor and a PodMonitor: each value would be counted twice." }}{{ end -}}
{{- if and .Values.evaluation.enabled .Values.backup.enabled }}{{ fail "backup.enabled backs up servers of your own: those of evaluation.enabled are for trying only." }}{{ end -}}
{{- if and .Values.kafka.sasl.mechanism (not .Values.kafka.sasl.existingSecret) }}{{ fail "kafka.sasl.mechanism asks for a login: name its secret in kafka.sasl.existingSecret." }}{{ end -}}
{{- if and (not .Values.kafka.sasl.mechanism) .Values.kafka.sasl.existingSecret }}{{ fail "kafka.sasl.existingSecret is not used without kafka.sasl.mechanism." }}{{ end -}}
{{- with .Values.models.followed -}}
{{- if and .endpoint (not .existingSecret) }}{{ fail "models.followed.endpoint is another server than that of objects: name the secret with its keys in models.followed.existingSecret." }}{{ end -}}
{{- if and .existingSecret (not .address) }}{{ fail "models.followed.existingSecret is not used without models.followed.address." }}{{ end -}}
{{- end -}}
{{- if and .Values.kafka.tls.existingSecret (not .Values.kafka.tls.enabled) }}{{ fail "kafka.tls.existingSecret is not used unless kafka.tls.enabled is true." }}{{ end -}}
{{- if ne (empty .Values.database.tls.certKey) (empty .Values.database.tls.privateKeyKey) }}{{ fail "A client certificate needs both database.tls.certKey and database.tls.privateKeyKey." }}{{ end -}}
{{- if and .Values.database.tls.certKey (not .Values.database.tls.existingSecret) }}{{ fail "database.tls.certKey names a key of a secret: name that in database.tls.existingSecret." }}{{ end -}}
{{- if ne (empty .Values.kafka.tls.certKey) (empty .Values.kafka.tls.privateKeyKey) }}{{ fail "A client certificate needs both kafka.tls.certKey and kafka.tls.privateKeyKey." }}{{ end -}}
{{- if and (eq .Values.models.source "claim") (not .Values.models.existingClaim) }}{{ fail "models.source is claim: name it in models.existingClaim." }}{{ end -}}
{{- if and (eq .Values.models.source "image") (not .Values.models.image) }}{{ fail "models.source is image: name it in models.image." }}{{ end -}}
{{- with .Values.inference.gpu -}}
{{- if and (eq .precision "float16") (has "cpu" .providers) }}{{ fail "inference.gpu.precision is float16, but inference.gpu.providers has cpu, which has nothing from it: name GPU providers alone." }}{{ end -}}
{{- end -}}
{{- with .Values.signIn -}}
{{- if and .issuer (not .clientId) }}{{ fail "signIn.issuer is set: name Adit as the provider does in signIn.clientId." }}{{ end -}}
{{- if and .issuer (not $.Values.api.publicUrl) }}{{ fail "signIn.issuer is set: give the address that the provider leads back to in api.publicUrl." }}{{ end -}}
{{- if and (not .issuer) (or .clientId .existingSecret .allowAddresses) }}{{ fail "signIn has no issuer: name the provider in signIn.issuer, or leave all of it empty." }}{{ end -}}
{{- end -}}
{{- if and .Values.ingress.enabled (not .Values.ingress.host) }}{{ fail "ingress.host is empty: an Ingress for every host name would take what is not Adit's." }}{{ end -}}
{{- if and .Values.httpRoute.enabled (not .Values.httpRoute.parentRefs) }}{{ fail "httpRoute.parentRefs is empty: name the Gateway that the route belongs to." }}{{ end -}}
{{- if .Values.backup.enabled -}}
{{- if or (not .Values.backup.target.endpoint) (not .Values.backup.target.existingSecret) }}{{ fail "backup.enabled needs backup.target.endpoint and backup.target.existingSecret: an object store that outlives the one backed up." }}{{ end -}}
{{- end -}}
{{- if .Values.restore.enabled -}}
{{- if .Values.evaluation.enabled }}{{ fail "restore.enabled fills servers of your own: those of evaluation.enabled come with the release." }}{{ end -}}
{{- if or (not .Values.backup.target.endpoint) (not .Values.backup.target.existingSecret) }}{{ fail "restore.enabled needs backup.target.endpoint and backup.target.existingSecret: the store that has the backup." }}{{ end -}}
{{- if and .Values.objects.identity.source .Values.serviceAccount.create }}{{ fail "restore.enabled runs before the service account is made: with objects.identity name one that is there, and set serviceAccount.create to false." }}{{ end -}}
{{- end -}}
{{- $decoder := mergeOverwrite (deepCopy .Values.defaults) (deepCopy .Values.services.decoder) -}}
{{- if le (include "adit.bytes" $decoder.data.size | int64) ($decoder.sourceCacheBytes | int64) }}{{ fail "services.decoder: data.size leaves no room for sources that are being fetched beside sourceCacheBytes." }}{{ end -}}
{{- $partitions := .Values.kafka.partitions | int -}}
{{- $model := .Values.models.maxBytes | int64 -}}
{{- range $name, $service := include "adit.services" . | fromYaml -}}
{{- if and $service.models (gt (mul 2 $model) (include "adit.bytes" $service.values.data.size | int64)) }}{{ fail (printf "models.maxBytes is %d, but a model may take half of data.size of %s, which is %s: make that larger, and its limit of ephemeral-storage." $model $name $service.values.data.size) }}{{ end -}}
{{- $most := include "adit.mostPods" $service | int -}}
{{- /* Inference takes what waits behind other pods, with or without partitions of its own. */ -}}
{{- if and $service.subscriptions (not (hasPrefix "inference-" $name)) (gt $most $partitions) }}{{ fail (printf "%s may have %d pods, but a topic has %d partitions (kafka.partitions): the others would have nothing to do." $name $most $partitions) }}{{ end -}}
{{- $scaling := $service.values.autoscaling | default dict -}}
{{- if and $scaling.enabled $service.subscriptions $.Values.evaluation.enabled }}{{ fail (printf "%s: autoscaling.enabled needs a Kafka that KEDA reaches from its own namespace; that of evaluation.enabled is for this release alone." $name) }}{{ end -}}
{{- $settings := include "adit.settings" (dict "root" $ "name" $name "service" $service) | fromYaml -}}
{{- range $service.values.extraEnv -}}
{{- if hasKey $settings .name }}{{ fail (printf "%s: extraEnv has %s, which the chart sets itself: change it by its own value or by settings." $name .name) }}{{ end -}}
{{- end -}}
{{- if and $scaling.enabled (gt ($scaling.minReplicas | int) ($scaling.maxReplicas | int)) }}{{ fail (printf "%s: autoscaling.minReplicas is above autoscaling.maxReplicas." $name) }}{{ end -}}
{{- end -}}
{{- end -}}
