/** The roles of a chart: the operator's own, everywhere or in the namespaces that are chosen, and those of its users. */
import type { GeneratedFile } from '../generated-file.ts';
import type { Installation } from '../installation.ts';
import { bindingObject, metricsReader, type RoleGroup, roleGroups, roleObject } from '../operator-roles.ts';
import { userRoles } from '../user-roles.ts';
import { type ChartDocument, chartFile } from './chart-file.ts';
import { type ChartInstallation, eachWatched, isInWatched, isSomewhere } from './chart-installation.ts';
import { accountName } from './chart-workload.ts';

const create = 'if $.Values.rbac.create';
const reasons: Readonly<Record<RoleGroup['reason'], string>> = {
  declarations: create,
  'leader election': 'if and $.Values.rbac.create $.Values.ha.enabled',
  'secure metrics': 'if and $.Values.rbac.create $.Values.monitoring.enabled',
};

export function roleFiles(chart: ChartInstallation): readonly GeneratedFile[] {
  const { everywhere, somewhere } = chart;
  return [
    ...chartFile('roles.yaml', [
      ...documentsFor(chart, everywhere, somewhere === undefined ? [] : [isSomewhere.replace('if', 'if not')]),
      ...(somewhere === undefined ? [] : documentsFor(chart, somewhere, [isSomewhere])),
      ...(everywhere.operator.secureMetrics
        ? [{ conditions: [reasons['secure metrics']], object: metricsReader(everywhere) }]
        : []),
    ]),
    ...chartFile(
      'user-roles.yaml',
      userRoles(everywhere).map(({ role }) => ({ conditions: ['if $.Values.userRoles.create'], object: role })),
    ),
  ];
}

/** Each role and its binding, where the installation has them. */
function documentsFor(
  chart: ChartInstallation,
  installation: Installation,
  conditions: readonly string[],
): readonly ChartDocument[] {
  return roleGroups(installation).flatMap(({ reason, name, roles }) =>
    roles.flatMap((role) => {
      // Those that are watched may include that of the release, in which the name would be there twice.
      const isTwice = role.namespace !== undefined && reason === 'declarations' && !isInWatched({ metadata: role });
      const called = isTwice ? `${name}-own` : name;
      const binding = bindingObject(called, role, installation);
      const objects = [
        roleObject(called, role, installation),
        { ...binding, subjects: binding.subjects?.map((subject) => ({ ...subject, name: accountName(chart) })) },
      ];
      return objects.map((object) => ({
        conditions: [reasons[reason], ...conditions, ...(isInWatched(object) ? [eachWatched] : [])],
        object,
      }));
    }),
  );
}
