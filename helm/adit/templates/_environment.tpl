{{/*
Environment and secrets of Adit's processes. Secrets are files of one projected volume at /secrets, so that they stand in no
description of a pod.
*/}}
{{- define "adit.brokers" -}}
{{- if .Values.evaluation.enabled }}{{ include "adit.fullname" . }}-kafka:9092{{ else }}{{ join "," .Values.kafka.brokers }}{{ end -}}
{{- end -}}

{{- define "adit.objectsEndpoint" -}}
{{- if .Values.evaluation.enabled }}http://{{ include "adit.fullname" . }}-minio:9000{{ else }}{{ .Values.objects.endpoint }}{{ end -}}
{{- end -}}

{{- define "adit.databaseSecret" -}}
{{- if .Values.evaluation.enabled }}{{ include "adit.evaluationName" . }}{{ else }}{{ .Values.database.existingSecret }}{{ end -}}
{{- end -}}

{{- define "adit.objectsSecret" -}}
{{- if .Values.evaluation.enabled }}{{ include "adit.evaluationName" . }}{{ else }}{{ .Values.objects.existingSecret }}{{ end -}}
{{- end -}}

{{- define "adit.apiSecret" -}}
{{- if .Values.api.existingSecret }}{{ .Values.api.existingSecret }}{{ else if .Values.evaluation.enabled }}{{ include "adit.evaluationName" . }}{{ end -}}
{{- end -}}

{{/* Whether a job brings the database to the release before its pods start: the servers of an evaluation come with them. */}}
{{- define "adit.migratesFirst" -}}
{{- if and .Values.migrate.enabled (not .Values.evaluation.enabled) }}true{{ end -}}
{{- end -}}

{{/* Settings by name, as a YAML map; give (dict "root" $ "name" "gateway" "service" <entry of adit.services>). */}}
{{- define "adit.settings" -}}
{{- $v := .root.Values -}}
{{- $own := .service.values -}}
{{- $env := dict
  "BUS_DRIVER" "kafka"
  "KAFKA_BROKERS" (include "adit.brokers" .root)
  "KAFKA_PARTITIONS" $v.kafka.partitions
  "KAFKA_GROW_PARTITIONS" $v.kafka.growPartitions
  "KAFKA_REPLICATION_FACTOR" (ternary 1 $v.kafka.replicationFactor $v.evaluation.enabled)
  "DATABASE_DRIVER" "postgres"
  "DATABASE_URL_FILE" "/secrets/database/url"
  "DATABASE_POOL_SIZE" $v.database.poolSize
  "OBJECTS_DRIVER" "minio"
  "S3_ENDPOINT" (include "adit.objectsEndpoint" .root)
  "S3_BUCKET" $v.objects.bucket
  "S3_REGION" $v.objects.region
  "S3_PATH_STYLE" $v.objects.pathStyle
  "S3_MANAGE_BUCKET" $v.objects.manageBucket
  "ADIT_DATA_DIR" "/data"
  "ADIT_MAX_CHUNKS_IN_FLIGHT" (include "adit.maxChunksInFlight" .root)
  "ADIT_SHUTDOWN_GRACE_SECONDS" $own.shutdownGraceSeconds
-}}
{{- if include "adit.objectsSecret" .root -}}
{{- $_ := set $env "S3_ACCESS_KEY_FILE" "/secrets/objects/access-key" -}}
{{- $_ := set $env "S3_SECRET_KEY_FILE" "/secrets/objects/secret-key" -}}
{{- else if eq $v.objects.identity.source "token" -}}
{{- $_ := set $env "AWS_WEB_IDENTITY_TOKEN_FILE" "/secrets/identity/token" -}}
{{- $_ := set $env "AWS_ROLE_ARN" $v.objects.identity.roleArn -}}
{{- with $v.objects.identity.stsEndpoint }}{{ $_ := set $env "S3_STS_ENDPOINT" . }}{{ end -}}
{{- else if eq $v.objects.identity.source "instance" -}}
{{- $_ := set $env "S3_INSTANCE_CREDENTIALS" true -}}
{{- end -}}
{{- with $v.kafka.topicPrefix }}{{ $_ := set $env "KAFKA_TOPIC_PREFIX" . }}{{ end -}}
{{- if $v.kafka.tls.enabled -}}
{{- $_ := set $env "KAFKA_SSL" true -}}
{{- if $v.kafka.tls.existingSecret -}}
{{- $_ := set $env "KAFKA_SSL_CA_FILE" "/secrets/kafka/ca.crt" -}}
{{- if $v.kafka.tls.certKey -}}
{{- $_ := set $env "KAFKA_SSL_CERT_FILE" "/secrets/kafka/tls.crt" -}}
{{- $_ := set $env "KAFKA_SSL_KEY_FILE" "/secrets/kafka/tls.key" -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- with $v.kafka.sasl.mechanism -}}
{{- $_ := set $env "KAFKA_SASL_MECHANISM" . -}}
{{- $_ := set $env "KAFKA_SASL_PASSWORD_FILE" "/secrets/kafka/password" -}}
{{- end -}}
{{- with $v.database.tls -}}
{{- if and .existingSecret .caKey }}{{ $_ := set $env "DATABASE_SSL_CA_FILE" "/secrets/database/ca.crt" }}{{ end -}}
{{- if and .existingSecret .certKey -}}
{{- $_ := set $env "DATABASE_SSL_CERT_FILE" "/secrets/database/tls.crt" -}}
{{- $_ := set $env "DATABASE_SSL_KEY_FILE" "/secrets/database/tls.key" -}}
{{- end -}}
{{- end -}}
{{- if $v.objects.tls.existingSecret }}{{ $_ := set $env "S3_CA_FILE" "/secrets/objects/ca.crt" }}{{ end -}}
{{- if eq .name "migrate" -}}
{{- $_ := set $env "DATABASE_MIGRATION_SECONDS" $v.migrate.lockSeconds -}}
{{- if $v.database.migration.existingSecret }}{{ $_ := set $env "DATABASE_MIGRATION_URL_FILE" "/secrets/migration/url" }}{{ end -}}
{{- else if include "adit.migratesFirst" .root -}}
{{- $_ := set $env "ADIT_MIGRATE" "off" -}}
{{- end -}}
{{- with $v.objects.prefix }}{{ $_ := set $env "S3_PREFIX" . }}{{ end -}}
{{- if $v.certificates.existingSecret }}{{ $_ := set $env "NODE_EXTRA_CA_CERTS" "/secrets/authorities/ca.crt" }}{{ end -}}
{{- with $v.tracing.endpoint }}{{ $_ := set $env "OTEL_EXPORTER_OTLP_ENDPOINT" . }}{{ end -}}
{{- if and .service.models (ne $v.models.source "none") }}{{ $_ := set $env "ADIT_MODELS_DIR" "/models" }}{{ end -}}
{{- /* Stored models that this pod runs, beside what else it writes to /data; a larger one needs a larger volume. */ -}}
{{- if .service.models }}{{ $_ := set $env "ADIT_MODEL_CACHE_BYTES" (div (include "adit.bytes" $own.data.size | int64) 2) }}{{ end -}}
{{- if has .name (list "gateway" "decoder" "recorder") -}}
{{- $_ := set $env "ADIT_ALLOW_HTTP" $v.sources.allowHttp -}}
{{- with $v.sources.allowPrivateAddresses }}{{ $_ := set $env "ADIT_ALLOW_PRIVATE_ADDRESSES" (join "," .) }}{{ end -}}
{{- with $v.sources.ytDlp }}{{ $_ := set $env "ADIT_YT_DLP" . }}{{ end -}}
{{- if $v.encryption.existingSecret }}{{ $_ := set $env "ADIT_ENCRYPTION_KEY_FILE" "/secrets/encryption/key" }}{{ end -}}
{{- end -}}
{{- if has .name (list "gateway" "decoder") -}}
{{- with $v.sources.local }}{{ $paths := list }}{{ range . }}{{ $paths = append $paths .mountPath }}{{ end }}{{ $_ := set $env "ADIT_LOCAL_ROOTS" (join "," $paths) }}{{ end -}}
{{- end -}}
{{- if .service.streams -}}
{{- $_ := set $env "ADIT_STREAMS_PER_RECORDER" $own.streams -}}
{{- $_ := set $env "ADIT_STREAM_DRAIN_SECONDS" (max 0 (sub (int $own.shutdownGraceSeconds) 10)) -}}
{{- end -}}
{{- if has .name (list "gateway" "notifier") -}}
{{- $_ := set $env "ADIT_WEBHOOK_ALLOW_HTTP" $v.webhooks.allowHttp -}}
{{- with $v.webhooks.allowAddresses }}{{ $_ := set $env "ADIT_WEBHOOK_ALLOW_ADDRESSES" (join "," .) }}{{ end -}}
{{- with $v.api.publicUrl }}{{ $_ := set $env "ADIT_PUBLIC_URL" . }}{{ end -}}
{{- end -}}
{{- if eq .name "gateway" -}}
{{- $_ := set $env "PORT" .service.port -}}
{{- $_ := set $env "ADIT_MAX_UPLOAD_BYTES" ($v.api.maxUploadBytes | int64) -}}
{{- $_ := set $env "ADIT_MAX_MODEL_BYTES" ($v.models.maxBytes | int64) -}}
{{- with $v.models.followed -}}
{{- if .address -}}
{{- $_ := set $env "ADIT_SYNCED_MODELS" .address -}}
{{- $_ := set $env "ADIT_SYNCED_MODELS_SECONDS" .seconds -}}
{{- if .endpoint }}{{ $_ := set $env "ADIT_SYNCED_MODELS_ENDPOINT" .endpoint }}{{ end -}}
{{- if .region }}{{ $_ := set $env "ADIT_SYNCED_MODELS_REGION" .region }}{{ end -}}
{{- if .existingSecret -}}
{{- $_ := set $env "ADIT_SYNCED_MODELS_ACCESS_KEY_FILE" "/secrets/followed/access-key" -}}
{{- $_ := set $env "ADIT_SYNCED_MODELS_SECRET_KEY_FILE" "/secrets/followed/secret-key" -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- with $v.signIn -}}
{{- if .issuer -}}
{{- $_ := set $env "ADIT_OIDC_ISSUER" .issuer -}}
{{- $_ := set $env "ADIT_OIDC_CLIENT_ID" .clientId -}}
{{- with .allowAddresses }}{{ $_ := set $env "ADIT_OIDC_ALLOW_ADDRESSES" (join "," .) }}{{ end -}}
{{- if .existingSecret }}{{ $_ := set $env "ADIT_OIDC_CLIENT_SECRET_FILE" "/secrets/sign-in/secret" }}{{ end -}}
{{- end -}}
{{- end -}}
{{- with $v.api.trustProxy }}{{ $_ := set $env "ADIT_TRUST_PROXY" (join "," .) }}{{ end -}}
{{- if $v.api.tls.existingSecret -}}
{{- $_ := set $env "ADIT_TLS_CERT_FILE" "/secrets/api/tls.crt" -}}
{{- $_ := set $env "ADIT_TLS_KEY_FILE" "/secrets/api/tls.key" -}}
{{- end -}}
{{- if include "adit.apiSecret" .root }}{{ $_ := set $env "ADIT_API_KEY_FILE" "/secrets/api/key" }}{{ end -}}
{{- else -}}
{{- $_ := set $env "ADIT_OPERATIONS_PORT" .service.port -}}
{{- end -}}
{{- if eq .name "decoder" -}}
{{- $_ := set $env "ADIT_SOURCE_CACHE_BYTES" ($own.sourceCacheBytes | int64) -}}
{{- /* Two are fetched at a time beside the cache. A pod whose volume overflows is evicted, and the next one that tries, too. */ -}}
{{- $_ := set $env "ADIT_MAX_SOURCE_BYTES" (div (sub (include "adit.bytes" $own.data.size | int64) ($own.sourceCacheBytes | int64)) 2) -}}
{{- end -}}
{{- /* The gateway says it of new jobs, the pods warm up by it. */ -}}
{{- if and (eq $v.inference.gpu.precision "float16") $v.inference.gpu.families (or .service.gpu (eq .name "gateway")) -}}
{{- $_ := set $env "ADIT_FLOAT16_FAMILIES" (join "," $v.inference.gpu.families) -}}
{{- end -}}
{{- if .service.gpu -}}
{{- $gpu := $v.inference.gpu -}}
{{- $_ := set $env "ADIT_PROVIDERS" (join "," $gpu.providers) -}}
{{- $_ := set $env "ADIT_INFERENCE_WORKERS" 1 -}}
{{- $_ := set $env "ADIT_INFERENCE_CONCURRENCY" $gpu.concurrency -}}
{{- $_ := set $env "NVIDIA_DRIVER_CAPABILITIES" $gpu.driverCapabilities -}}
{{- with .service.families }}{{ $_ := set $env "ADIT_INFERENCE_FAMILIES" (join "," .) }}{{ end -}}
{{- else -}}
{{- /* A default NVIDIA runtime would show every GPU of the node to a pod that asked for none. */ -}}
{{- $_ := set $env "NVIDIA_VISIBLE_DEVICES" "void" -}}
{{- end -}}
{{- toYaml (mustMergeOverwrite $env (deepCopy $v.settings) (deepCopy $own.settings)) -}}
{{- end -}}

{{- define "adit.environment" -}}
{{- range $name, $value := include "adit.settings" . | fromYaml }}
- name: {{ $name }}
  value: {{ if and (kindIs "float64" $value) (eq (floor $value) $value) }}{{ $value | int64 | quote }}{{ else }}{{ $value | toString | quote }}{{ end }}
{{- end }}
{{- if .root.Values.kafka.sasl.mechanism }}
- name: KAFKA_SASL_USERNAME
  valueFrom:
    secretKeyRef:
      name: {{ .root.Values.kafka.sasl.existingSecret }}
      key: {{ .root.Values.kafka.sasl.usernameKey }}
{{- end }}
{{- end -}}

{{/* The projected volume of secrets; give (dict "root" $ "gateway" true) for the one with the gateway's own, "streams" for the key of live streams' addresses, "migrate" for that of migrations, "target" for that of backups. */}}
{{- define "adit.secretsVolume" -}}
{{- $v := .root.Values -}}
- name: secrets
  projected:
    defaultMode: 0440
    sources:
      - secret:
          name: {{ include "adit.databaseSecret" .root }}
          items: [{ key: {{ ternary "url" $v.database.urlKey $v.evaluation.enabled }}, path: database/url }]
      {{- with include "adit.objectsSecret" .root }}
      - secret:
          name: {{ . }}
          items:
            - { key: {{ ternary "access-key" $v.objects.accessKeyKey $v.evaluation.enabled }}, path: objects/access-key }
            - { key: {{ ternary "secret-key" $v.objects.secretKeyKey $v.evaluation.enabled }}, path: objects/secret-key }
      {{- else }}
      {{- if eq $v.objects.identity.source "token" }}
      - serviceAccountToken:
          path: identity/token
          audience: {{ $v.objects.identity.audience }}
          expirationSeconds: 3600
      {{- end }}
      {{- end }}
      {{- with $v.database.tls }}
      {{- if and .existingSecret (or .caKey .certKey) }}
      - secret:
          name: {{ .existingSecret }}
          items:
            {{- with .caKey }}
            - { key: {{ . }}, path: database/ca.crt }
            {{- end }}
            {{- if .certKey }}
            - { key: {{ .certKey }}, path: database/tls.crt }
            - { key: {{ .privateKeyKey }}, path: database/tls.key }
            {{- end }}
      {{- end }}
      {{- end }}
      {{- with $v.objects.tls.existingSecret }}
      - secret:
          name: {{ . }}
          items: [{ key: {{ $v.objects.tls.caKey }}, path: objects/ca.crt }]
      {{- end }}
      {{- with $v.certificates.existingSecret }}
      - secret:
          name: {{ . }}
          items: [{ key: {{ $v.certificates.key }}, path: authorities/ca.crt }]
      {{- end }}
      {{- with $v.kafka.tls.existingSecret }}
      - secret:
          name: {{ . }}
          items:
            - { key: {{ $v.kafka.tls.caKey }}, path: kafka/ca.crt }
            {{- if $v.kafka.tls.certKey }}
            - { key: {{ $v.kafka.tls.certKey }}, path: kafka/tls.crt }
            - { key: {{ $v.kafka.tls.privateKeyKey }}, path: kafka/tls.key }
            {{- end }}
      {{- end }}
      {{- if $v.kafka.sasl.mechanism }}
      - secret:
          name: {{ $v.kafka.sasl.existingSecret }}
          items: [{ key: {{ $v.kafka.sasl.passwordKey }}, path: kafka/password }]
      {{- end }}
      {{- if .streams }}
      {{- with $v.encryption.existingSecret }}
      - secret:
          name: {{ . }}
          items: [{ key: {{ $v.encryption.key }}, path: encryption/key }]
      {{- end }}
      {{- end }}
      {{- if .migrate }}
      {{- with $v.database.migration.existingSecret }}
      - secret:
          name: {{ . }}
          items: [{ key: {{ $v.database.migration.urlKey }}, path: migration/url }]
      {{- end }}
      {{- end }}
      {{- if .target }}
      {{- with $v.backup.target.tls.existingSecret }}
      - secret:
          name: {{ . }}
          items: [{ key: {{ $v.backup.target.tls.caKey }}, path: target/ca.crt }]
      {{- end }}
      {{- end }}
      {{- if .gateway }}
      {{- with $v.api.tls }}
      {{- if .existingSecret }}
      - secret:
          name: {{ .existingSecret }}
          items:
            - { key: {{ .certKey }}, path: api/tls.crt }
            - { key: {{ .privateKeyKey }}, path: api/tls.key }
      {{- end }}
      {{- end }}
      {{- with $v.models.followed.existingSecret }}
      - secret:
          name: {{ . }}
          items:
            - { key: {{ $v.models.followed.accessKeyKey }}, path: followed/access-key }
            - { key: {{ $v.models.followed.secretKeyKey }}, path: followed/secret-key }
      {{- end }}
      {{- with $v.signIn }}
      {{- if and .issuer .existingSecret }}
      - secret:
          name: {{ .existingSecret }}
          items: [{ key: {{ .key }}, path: sign-in/secret }]
      {{- end }}
      {{- end }}
      {{- with include "adit.apiSecret" .root }}
      - secret:
          name: {{ . }}
          items: [{ key: {{ ternary $v.api.key "api-key" (not (empty $v.api.existingSecret)) }}, path: api/key }]
      {{- end }}
      {{- end }}
{{- end -}}

{{/* What libpq is told of TLS, in containers that are not Adit's. */}}
{{- define "adit.libpq" -}}
{{- with .Values.database.tls -}}
{{- if and .existingSecret .caKey }}
- { name: PGSSLROOTCERT, value: /secrets/database/ca.crt }
{{- end }}
{{- if and .existingSecret .certKey }}
- { name: PGSSLCERT, value: /secrets/database/tls.crt }
- { name: PGSSLKEY, value: /secrets/database/tls.key }
{{- end }}
{{- if and .existingSecret (or .caKey .certKey) }}
- { name: PGSSLMODE, value: verify-full }
{{- end }}
{{- end }}
{{- end -}}

{{/* Both stores of a backup as rclone is told of them: `source` is the one that is backed up, `target` the other. */}}
{{- define "adit.rclone" -}}
{{- range $name, $store := dict "SOURCE" .Values.objects "TARGET" .Values.backup.target }}
- { name: RCLONE_CONFIG_{{ $name }}_TYPE, value: s3 }
- { name: RCLONE_CONFIG_{{ $name }}_PROVIDER, value: Other }
# It has to exist; a key for backups need not be allowed to make one.
- { name: RCLONE_CONFIG_{{ $name }}_NO_CHECK_BUCKET, value: 'true' }
- { name: RCLONE_CONFIG_{{ $name }}_ENDPOINT, value: {{ $store.endpoint | quote }} }
- { name: RCLONE_CONFIG_{{ $name }}_REGION, value: {{ $store.region | quote }} }
{{- if $store.existingSecret }}
{{- range $variable, $key := dict "ACCESS_KEY_ID" $store.accessKeyKey "SECRET_ACCESS_KEY" $store.secretKeyKey }}
- name: RCLONE_CONFIG_{{ $name }}_{{ $variable }}
  valueFrom: { secretKeyRef: { name: {{ $store.existingSecret }}, key: {{ $key }} } }
{{- end }}
{{- else }}
# The keys that the pod's identity gets, by AWS's own library.
- { name: RCLONE_CONFIG_{{ $name }}_ENV_AUTH, value: 'true' }
{{- end }}
{{- end }}
{{- if and (not .Values.objects.existingSecret) (eq .Values.objects.identity.source "token") }}
{{- with .Values.objects.identity }}
- { name: AWS_WEB_IDENTITY_TOKEN_FILE, value: /secrets/identity/token }
- { name: AWS_ROLE_ARN, value: {{ .roleArn | quote }} }
{{- with .stsEndpoint }}
- { name: AWS_ENDPOINT_URL_STS, value: {{ . | quote }} }
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* A way to whoever hands keys of the object store out. */}}
{{- define "adit.identityEgress" -}}
{{- with .Values.objects.identity }}
{{- if .source }}
- ports:
    {{- $ports := list 80 443 }}
    {{- with .stsEndpoint }}{{ $ports = append $ports (include "adit.portOf" . | int) }}{{ end }}
    {{- range uniq $ports }}
    - { port: {{ . }}, protocol: TCP }
    {{- end }}
  {{- with $.Values.networkPolicy.identityTo }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Every address of the internet; nothing that is private, nor the cloud's own addresses. */}}
{{- define "adit.publicAddresses" -}}
- ipBlock:
    cidr: 0.0.0.0/0
    except: [0.0.0.0/8, 10.0.0.0/8, 100.64.0.0/10, 127.0.0.0/8, 169.254.0.0/16, 172.16.0.0/12, 192.0.0.0/24, 192.168.0.0/16, 198.18.0.0/15, 224.0.0.0/4, 240.0.0.0/4]
- ipBlock:
    cidr: 2000::/3
{{- end -}}
