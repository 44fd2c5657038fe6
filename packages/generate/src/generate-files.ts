/**
 * `generateFiles`: everything that installs and describes an operator, from its declarations.
 *
 * Promises: the same values give the same bytes; nothing is read, nothing is written.
 */

import type { Operator } from '@keelson/core';
import { admissionPolicyFiles } from './admission-policies.ts';
import { apiReferenceFile } from './api-reference.ts';
import { chartFiles } from './chart/chart-files.ts';
import { type GeneratedFile, yamlFile } from './generated-file.ts';
import { installFile } from './install-file.ts';
import { type GenerateOptions, type Installation, installationOf } from './installation.ts';
import { kustomizationFiles } from './kustomizations.ts';
import { managerFiles } from './manager.ts';
import { metricsServiceFile, networkPolicyFile, prometheusFiles } from './monitoring.ts';
import { operatorRoleFiles } from './operator-roles.ts';
import { sampleFiles } from './samples.ts';
import { userRoleFiles } from './user-roles.ts';
import { webhookFiles } from './webhooks.ts';

/**
 * The files of an operator, in the order of their paths. A definition that the API server would not take throws a
 * TypeError, and so do two of one name; a choice that cannot be throws a RangeError.
 *
 * @example
 * for (const { path, text } of generateFiles(memcachedOperator, { image: 'example.com/memcached-operator:1.0.0' })) {
 *   console.log(path, text.length);
 * }
 */
export function generateFiles(operator: Operator, options: GenerateOptions = {}): readonly GeneratedFile[] {
  const installation = installationOf(operator, options);
  const objects = [
    ...definitionFiles(installation),
    ...operatorRoleFiles(installation),
    ...userRoleFiles(installation),
    ...managerFiles(installation),
    ...metricsServiceFile(installation),
    ...webhookFiles(installation),
    ...admissionPolicyFiles(installation),
    networkPolicyFile(installation),
    ...prometheusFiles(installation),
  ];
  const files = [
    ...objects,
    ...kustomizationFiles(objects, installation),
    ...sampleFiles(installation),
    installFile(objects, installation),
    ...apiReferenceFile(installation),
    ...(options.chart ? chartFiles(operator, options) : []),
  ].sort((a, b) => (a.path < b.path ? -1 : 1));
  const twice = files.find(({ path }, i) => path === files[i + 1]?.path);
  if (twice !== undefined) throw new TypeError(`${operator.name}: two kinds would share ${twice.path}`);
  return files;
}

const definitionFiles = ({ definitions }: Installation): readonly GeneratedFile[] =>
  definitions.map(({ kind, crd }) => yamlFile(`config/crd/bases/${kind.group}_${kind.resource}.yaml`, crd));
