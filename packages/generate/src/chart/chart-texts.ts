/** The parts of a chart that are no objects: Chart.yaml, the name of the image, the check for others, and the notes. */

import { type GeneratedFile, templateFile, yamlFile } from '../generated-file.ts';
import type { ChartWords, GenerateOptions } from '../installation.ts';
import type { ChartInstallation } from './chart-installation.ts';

export function textFiles(chart: ChartInstallation): readonly GeneratedFile[] {
  return [
    chartYaml(chart),
    templateFile('chart/templates/_helpers.tpl', imageHelper(chart.everywhere.name)),
    templateFile('chart/templates/take-over.yaml', takeOverCheck(chart)),
    templateFile('chart/templates/NOTES.txt', notes(chart)),
  ];
}

function chartYaml({ everywhere: { name, version = '0.0.0', operator }, options }: ChartInstallation): GeneratedFile {
  const { description = `The operator ${name}`, keywords, home, sources, maintainers }: ChartWords = wordsIn(options);
  return yamlFile('chart/Chart.yaml', {
    apiVersion: 'v2',
    name,
    description,
    type: 'application',
    version,
    appVersion: version,
    // Where rules in definitions are stable, and policies if there are some.
    kubeVersion: (operator.policies ?? []).length > 0 ? '>=1.30.0-0' : '>=1.29.0-0',
    keywords,
    home,
    sources,
    maintainers,
  });
}

const wordsIn = ({ chart }: GenerateOptions): ChartWords => (typeof chart === 'object' ? chart : {});

function imageHelper(name: string): string {
  return `{{- define "${name}.image" -}}
{{- if $.Values.image.digest -}}
{{ $.Values.image.repository }}@{{ $.Values.image.digest }}
{{- else -}}
{{ $.Values.image.repository }}:{{ $.Values.image.tag | default ($.Chart.AppVersion | replace "+" "_") }}
{{- end -}}
{{- end -}}
`;
}

/** Helm would refuse, too, but name neither who is there nor what to do. Offline there is nobody to ask. */
function takeOverCheck({ everywhere: { name, definitions }, somewhere }: ChartInstallation): string {
  const cluster = `(list "rbac.authorization.k8s.io/v1" "ClusterRole" "" "${name}")`;
  const places = [
    `(list "apps/v1" "Deployment" $.Release.Namespace "${name}")`,
    somewhere === undefined ? cluster : `(ternary list ${cluster} (not (empty $.Values.rbac.namespaces)))`,
  ];
  const crds = definitions.map(
    ({ kind }) => `(list "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" "${kind.resource}.${kind.group}")`,
  );
  return `{{- if not $.Values.takeOver }}
{{- $objects := list ${places.join(' ')} }}
${crds.length === 0 ? '' : `{{- if $.Values.crds.install }}{{- $objects = concat $objects (list ${crds.join(' ')}) }}{{- end }}\n`}{{- range $each := compact $objects }}
{{- $found := lookup (index $each 0) (index $each 1) (index $each 2) (index $each 3) }}
{{- if $found }}
{{- $release := dig "metadata" "annotations" "meta.helm.sh/release-name" "" $found }}
{{- $place := dig "metadata" "annotations" "meta.helm.sh/release-namespace" "" $found }}
{{- if or (ne $release $.Release.Name) (ne $place $.Release.Namespace) }}
{{- $whose := ternary (printf "of the release %q in the namespace %q" $release $place) "not of a Helm release: manifests made it" (ne $release "") }}
{{- $binding := lookup "rbac.authorization.k8s.io/v1" "ClusterRoleBinding" "" "${name}" }}
{{- $where := "" }}
{{- range (dig "subjects" list $binding) }}{{- $where = printf " It runs in the namespace %q: choose that one." .namespace }}{{- end }}
{{- fail (printf "\\n\\n${name} is in this cluster already: the %s %q is %s.\\nEither remove what is there first, or take it over: give --take-ownership and --set takeOver=true.%s\\nIf only the definitions are there, --set crds.install=false leaves them to whoever made them.\\n" (index $each 1) (index $each 3) $whose $where) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
`;
}

function notes({ everywhere: { name, operator, process, definitions } }: ChartInstallation): string {
  const parts = [
    `${name} {{ $.Chart.AppVersion }} is installed in the namespace {{ $.Release.Namespace }}.

  kubectl --namespace {{ $.Release.Namespace }} rollout status deployment/${name}
  kubectl --namespace {{ $.Release.Namespace }} logs deployment/${name}
`,
    ...(definitions.length === 0
      ? []
      : [
          `It looks after:
${definitions.map(({ kind }) => `  kubectl get ${kind.resource}.${kind.group} --all-namespaces\n`).join('')}{{- if and $.Values.crds.install (not $.Values.crds.keep) }}

The definitions go with this release, and with them all objects of their kinds (crds.keep is false).
{{- end }}
`,
        ]),
    ...(operator.leaderElection
      ? [
          '{{- if not $.Values.ha.enabled }}\nThere is one replica, and nobody works while it is replaced (ha.enabled is false).\n{{- end }}\n',
        ]
      : []),
    ...(process.metrics === undefined
      ? []
      : [
          `{{- if and $.Values.monitoring.enabled $.Values.monitoring.serviceMonitor (not ($.Capabilities.APIVersions.Has "monitoring.coreos.com/v1/ServiceMonitor")) }}
There is no ServiceMonitor: the cluster does not have the kind. When the Prometheus operator is there, the next "helm upgrade" makes it.
{{- end }}
`,
          `{{- if and $.Values.monitoring.enabled $.Values.networkPolicy.enabled $.Values.networkPolicy.metricsFrom }}
Its metrics can be read from namespaces with certain labels alone (networkPolicy.metricsFrom). So that Prometheus can:
{{- range $name, $value := $.Values.networkPolicy.metricsFrom }}
  kubectl label namespace NAMESPACE-OF-PROMETHEUS {{ $name }}={{ $value }}
{{- end }}
{{- end }}
`,
        ]),
  ];
  return parts.join('\n');
}
