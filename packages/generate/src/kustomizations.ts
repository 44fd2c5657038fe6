/** The kustomization files: one for each folder of generated objects, and the user's own that puts them together. */

import { dashboardLabels, dashboardName } from './dashboard.ts';
import { type GeneratedFile, yamlFile } from './generated-file.ts';
import type { Installation } from './installation.ts';

const head = { apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization' };

const folders = [
  'config/crd',
  'config/rbac',
  'config/manager',
  'config/webhook',
  'config/admission',
  'config/network-policy',
  'config/prometheus',
] as const;

/** Always there: when the operator gets its first kind, config/default is the user's already, and would lack it. */
const crds = 'config/crd';

/** These come with config/manager for the same reason, when the operator gets its first webhook or policy. */
const later = ['config/webhook', 'config/admission'];

/** For the objects in these files; a folder without any has none, but for that of the definitions. */
export function kustomizationFiles(
  files: readonly GeneratedFile[],
  installation: Pick<Installation, 'name' | 'namespace'>,
): readonly GeneratedFile[] {
  const { namespace } = installation;
  const filled = folders.filter((folder) => folder === crds || resourcesIn(folder, files).length > 0);
  return [
    ...filled.map((folder) =>
      yamlFile(`${folder}/kustomization.yaml`, {
        ...head,
        // For the settings: that file is the user's, and does not follow when another namespace is chosen.
        ...(folder === 'config/manager' && { namespace }),
        resources: [
          ...resourcesIn(folder, files),
          ...(folder === 'config/manager'
            ? later.filter((each) => filled.some((one) => one === each)).map(beside)
            : []),
        ],
        ...(files.some(({ path }) => path === `${folder}/dashboard.json`) && {
          configMapGenerator: [dashboardMap(installation)],
        }),
      }),
    ),
    { path: 'config/default/kustomization.yaml', text: defaultText(filled), owner: 'user' },
  ];
}

const resourcesIn = (folder: string, files: readonly GeneratedFile[]): readonly string[] =>
  files
    .filter(({ path }) => path.startsWith(`${folder}/`) && path.endsWith('.yaml'))
    .map(({ path }) => path.slice(folder.length + 1));

/** With the label by which Grafana's sidecar finds dashboards. */
const dashboardMap = ({ name, namespace }: Pick<Installation, 'name' | 'namespace'>) => ({
  name: dashboardName({ name }),
  namespace,
  files: ['dashboard.json'],
  options: { labels: dashboardLabels, disableNameSuffixHash: true },
});

/** From another folder of config. */
const beside = (folder: string): string => `../${folder.slice('config/'.length)}`;

function defaultText(filled: readonly string[]): string {
  const entry = (folder: string) => `- ${beside(folder)}\n`;
  const prometheus = 'config/prometheus';
  return `# What is installed by "kubectl apply --server-side -k config/default". This file is yours: it was made once.
apiVersion: ${head.apiVersion}
kind: ${head.kind}
resources:
${filled
  .filter((folder) => folder !== prometheus && !later.includes(folder))
  .map(entry)
  .join('')}${
  filled.includes(prometheus)
    ? `# Needs the kinds of the Prometheus operator in the cluster.
# ${entry(prometheus)}`
    : ''
}# What should be otherwise than it was generated, for example:
# patches:
# - target: { kind: Deployment }
#   patch: |-
#     - { op: replace, path: /spec/replicas, value: 3 }
`;
}
