/**
 * `config/webhook`: the Service by which the API server reaches the operator, and the configurations that tell it to.
 *
 * None of them names a `caBundle`: the operator writes it, under a field manager of its own.
 */
import { webhookConfigurationsOf, webhookNames } from '@keelson/core';
import type { NewService } from '@keelson/core/v1';
import { type GeneratedFile, yamlFile } from './generated-file.ts';
import { type Installation, labelsOf, managerLabelsOf } from './installation.ts';

/** None where the API server never calls. */
export function webhookFiles(installation: Installation): readonly GeneratedFile[] {
  const service = webhookService(installation);
  if (service === undefined) return [];
  return [
    yamlFile('config/webhook/service.yaml', service),
    ...webhookConfigurations(installation).map(({ file, object }) => yamlFile(`config/webhook/${file}.yaml`, object)),
  ];
}

/** By which the API server reaches it; none where it never calls. */
export function webhookService(installation: Installation): NewService | undefined {
  const { operator, process, namespace } = installation;
  if (process.webhooks === undefined) return undefined;
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: webhookNames(operator).service, namespace, labels: managerLabelsOf(installation) },
    spec: { selector: managerLabelsOf(installation), ports: [{ name: 'webhook', port: 443, targetPort: 'webhook' }] },
  };
}

/** What tells the API server to ask, and what their files are called. */
export function webhookConfigurations(installation: Installation) {
  const { mutating, validating } = webhookConfigurationsOf(installation.operator, installation);
  const labels = labelsOf(installation);
  return [['mutating', mutating] as const, ['validating', validating] as const].flatMap(([file, object]) =>
    object === undefined ? [] : [{ file, object: { ...object, metadata: { ...object.metadata, labels } } }],
  );
}
