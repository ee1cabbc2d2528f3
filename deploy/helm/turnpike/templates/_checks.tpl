{{/* What values.schema.json cannot say: values that contradict each other, and what is missing between them. */}}
{{- define "turnpike.checks" -}}
{{- $v := .Values -}}
{{- $faults := list -}}
{{- $roles := list "api" "observer" "dispatcher" "mailer" "signer" "migrations" -}}
{{- range $role := $roles -}}
{{- $own := get $v $role -}}
{{- $config := mergeOverwrite (deepCopy $v.config) $own.config -}}
{{- range $name, $_ := mergeOverwrite (deepCopy $v.secrets) $own.secrets -}}
{{- if hasKey $config $name -}}
{{- $faults = append $faults (printf "%s: %s is in config and in secrets" $role $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $role := list "api" "dispatcher" -}}
{{- with (get $v $role).autoscaling -}}
{{- if gt (int .minReplicas) (int .maxReplicas) -}}
{{- $faults = append $faults (printf "%s.autoscaling: minReplicas is above maxReplicas" $role) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $nodes := list -}}
{{- range $name := concat (keys $v.config) (keys $v.secrets) -}}
{{- if regexMatch "_(RPC|ESPLORA)_URL$" $name -}}
{{- $nodes = append $nodes $name -}}
{{- end -}}
{{- end -}}
{{- if not $nodes -}}
{{- $faults = append $faults "secrets: a node of a network is missing, such as ETH_RPC_URL" -}}
{{- end -}}
{{- if not (or $v.api.tls.existingSecret (hasKey $v.config "TRUST_PROXY") (hasKey $v.api.config "TRUST_PROXY")) -}}
{{- $faults = append $faults "config.TRUST_PROXY: name your proxies, or set api.tls.existingSecret: live serves HTTPS only" -}}
{{- end -}}
{{- if and $v.networkPolicy.enabled (or (hasKey $v.secrets "REDIS_URL") (hasKey $v.api.secrets "REDIS_URL")) (not $v.networkPolicy.redis.to) -}}
{{- $faults = append $faults "networkPolicy.redis.to: is needed with REDIS_URL" -}}
{{- end -}}
{{- if and $v.networkPolicy.enabled (or (hasKey $v.secrets "SMTP_URL") (hasKey $v.mailer.secrets "SMTP_URL")) (not $v.networkPolicy.mail.to) -}}
{{- $faults = append $faults "networkPolicy.mail.to: is needed with SMTP_URL" -}}
{{- end -}}
{{- if and $v.image.tag $v.image.digest -}}
{{- $faults = append $faults "image: tag and digest are both set; set only one of them" -}}
{{- end -}}
{{- if $faults -}}
{{- fail (printf "\n  %s" (join "\n  " $faults)) -}}
{{- end -}}
{{- end -}}
