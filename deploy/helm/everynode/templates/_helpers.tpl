{{/* Names are cut at 46: the longest suffix is 17 characters, and a Service's name may have 63. */}}
{{- define "everynode.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 46 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 46 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 46 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "everynode.selectorLabels" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{/* Each label once: the values may say another `part-of`, but not what selectors and Helm go by. */}}
{{- define "everynode.labels" -}}
{{- $fixed := include "everynode.selectorLabels" . | fromYaml -}}
{{- $_ := set $fixed "app.kubernetes.io/managed-by" .Release.Service -}}
{{- $own := dict
  "helm.sh/chart" (printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-")
  "app.kubernetes.io/version" .Chart.AppVersion
  "app.kubernetes.io/part-of" "everynode" -}}
{{- toYaml (merge $fixed .Values.commonLabels $own) -}}
{{- end -}}

{{- define "everynode.podLabels" -}}
{{- toYaml (merge (include "everynode.selectorLabels" . | fromYaml) .Values.podLabels .Values.commonLabels) -}}
{{- end -}}

{{- define "everynode.serviceAccountName" -}}
{{- default (ternary (include "everynode.fullname" .) "default" .Values.serviceAccount.create) .Values.serviceAccount.name -}}
{{- end -}}

{{/* One Lease a release, over which its pods agree who acts. */}}
{{- define "everynode.leaseName" -}}
{{- printf "%s-operator" (include "everynode.fullname" .) -}}
{{- end -}}

{{/* Service, Secret and webhook configurations bear one name. */}}
{{- define "everynode.webhookName" -}}
{{- printf "%s-webhook" (include "everynode.fullname" .) -}}
{{- end -}}

{{- define "everynode.image" -}}
{{- $name := .Values.image.repository -}}
{{- with .Values.image.registry -}}{{- $name = printf "%s/%s" . $name -}}{{- end -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" $name .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" $name (default .Chart.AppVersion .Values.image.tag) -}}
{{- end -}}
{{- end -}}

{{/*
Features that are on, as a JSON object of names: what `--controllers` says, judged as the operator does. The first entry that
names a controller counts; `*` is what is on by default.
*/}}
{{- define "everynode.features" -}}
{{- $on := dict "base" true -}}
{{- $known := list -}}
{{- $facts := .Files.Get "files/rights.yaml" | fromYaml -}}
{{- range $facts.controllers -}}
{{- $controller := . -}}
{{- $known = append $known .name -}}
{{- $known = concat $known .aliases -}}
{{- $said := "" -}}
{{- range $.Values.controllers -}}
{{- if eq $said "" -}}
{{- $name := trimPrefix "-" . -}}
{{- if or (eq $name $controller.name) (has $name $controller.aliases) -}}
{{- $said = ternary "off" "on" (hasPrefix "-" .) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if eq $said "" -}}{{- $said = ternary "on" "off" (and $controller.onByDefault (has "*" $.Values.controllers)) -}}{{- end -}}
{{- if eq $said "on" -}}{{- $_ := set $on .name true -}}{{- end -}}
{{- end -}}
{{- range .Values.controllers -}}
{{- if not (or (eq . "*") (has (trimPrefix "-" .) $known)) -}}
{{- fail (printf "controllers: %q is unknown; known are %s" . (join ", " $known)) -}}
{{- end -}}
{{- end -}}
{{- if eq (len $on) 1 -}}{{- fail "controllers: every controller is off; leave at least one on" -}}{{- end -}}
{{- if and .Values.rbac.deleteNamespaces (hasKey $on "component") -}}{{- $_ := set $on "namespaces" true -}}{{- end -}}
{{- if and .Values.webhook.enabled (not .Values.webhook.certManager.enabled) -}}{{- $_ := set $on "webhooks" true -}}{{- end -}}
{{- toJson $on -}}
{{- end -}}

{{/* Rules of everything that is on, of one scope, with the names of this release: (dict "root" $ "scope" "cluster") */}}
{{- define "everynode.rules" -}}
{{- $root := .root -}}
{{- $scope := .scope -}}
{{- $on := include "everynode.features" $root | fromJson -}}
{{- $facts := $root.Files.Get "files/rights.yaml" | fromYaml -}}
{{- $rules := list -}}
{{- range $facts.rights -}}
{{- if and (hasKey $on .feature) (eq .scope $scope) -}}
{{- if or $root.Values.leaderElection.enabled (not .leaderElection) -}}
{{- $rules = concat $rules .rules -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if $rules -}}
{{- toYaml $rules | replace "@lease@" (include "everynode.leaseName" $root) | replace "@webhook@" (include "everynode.webhookName" $root) -}}
{{- end -}}
{{- end -}}
