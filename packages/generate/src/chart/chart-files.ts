/**
 * A Helm chart of an operator, from the same objects as config/.
 *
 * Promises: what is installed with the values as they are is what config/default installs, in the namespace of the
 * release; names are the same, since the operator's process knows them. An upgrade or a removal never takes the
 * definitions away, unless `crds.keep` is false.
 */
import type { Operator } from '@keelson/core';
import type { GeneratedFile } from '../generated-file.ts';
import type { GenerateOptions } from '../installation.ts';
import { chartInstallation } from './chart-installation.ts';
import { monitoringFiles } from './chart-monitoring.ts';
import { networkFiles } from './chart-network.ts';
import { roleFiles } from './chart-roles.ts';
import { textFiles } from './chart-texts.ts';
import { chartValues } from './chart-values.ts';
import { chartValuesFiles } from './chart-values-files.ts';
import { workloadFiles } from './chart-workload.ts';

/** The folder `chart`. */
export function chartFiles(operator: Operator, options: GenerateOptions): readonly GeneratedFile[] {
  const chart = chartInstallation(operator, options);
  return [
    ...textFiles(chart),
    ...chartValuesFiles(chartValues(chart)),
    ...workloadFiles(chart),
    ...roleFiles(chart),
    ...networkFiles(chart),
    ...monitoringFiles(chart),
  ];
}
