/**
 * A controller and its test in virtual time.
 *
 * For a kind that is new, one that keeps a Deployment, since its fields are known; for one that exists, whose fields
 * may be any, one that is called for each object and does nothing yet.
 */

import { kindPath } from './kind-files.ts';
import { controllerIdentifier, fileNameOf, variableOf } from './names.ts';
import type { ScaffoldFile } from './scaffold-file.ts';

/** Where the controller of a kind is. */
export const controllerPath = (kind: string): string => `src/controllers/${fileNameOf(kind)}.ts`;

/** For a kind as the scaffold defines it; `operator` is the variable that `src/operator.ts` exports. */
export function deploymentControllerFiles(kind: string, operator: string): readonly ScaffoldFile[] {
  return [
    { path: controllerPath(kind), text: deploymentController(kind) },
    { path: testPath(kind), text: deploymentControllerTest(kind, operator) },
  ];
}

/** For a kind of the module `from`, whatever its fields. */
export function emptyControllerFiles(kind: string, from: string, operator: string): readonly ScaffoldFile[] {
  return [
    { path: controllerPath(kind), text: emptyController(kind, from) },
    { path: testPath(kind), text: emptyControllerTest(kind, operator) },
  ];
}

/** Where a controller finds a kind of the project. */
export const ownModule = (kind: string): string => `../${kindPath(kind).slice('src/'.length)}`;

const testPath = (kind: string): string => controllerPath(kind).replace(/\.ts$/, '.test.ts');

function deploymentController(kind: string): string {
  const one = variableOf(kind, ['owned', 'status', 'deployment', 'controller', 'done', 'name', 'spec']);
  return `/** Keeps a Deployment for every ${kind}, and tells how it is. */
import { Deployment, type NewDeployment } from '@keelson/core/apps/v1';
import { controller, done } from '@keelson/runtime';
import { ${kind}, type ${kind}Status } from '${ownModule(kind)}';

export const ${controllerIdentifier(kind)} = controller({
  for: ${kind},
  owns: [Deployment],
  async reconcile(${one}, { owned, status }) {
    const deployment = await owned.apply(Deployment, desiredDeployment(${one}));
    status.report(statusOf(${one}, deployment));
    return done; // the Deployment is owned: its next change brings us back
  },
});

/** What should exist. */
function desiredDeployment({ metadata: { name }, spec: { image, replicas } }: ${kind}): NewDeployment {
  const labels = { 'app.kubernetes.io/name': '${kind.toLowerCase()}', 'app.kubernetes.io/instance': name };
  return {
    metadata: { name, labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          securityContext: { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: 'RuntimeDefault' } },
          containers: [
            {
              name: '${kind.toLowerCase()}',
              image,
              securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
            },
          ],
        },
      },
    },
  };
}

/** What users are told. */
function statusOf({ spec: { replicas } }: ${kind}, { status }: Deployment): ${kind}Status {
  const ready = status.readyReplicas ?? 0;
  const message = \`\${ready} of \${replicas} pods are ready.\`;
  const available =
    ready >= replicas
      ? ({ type: 'Available', status: 'True', reason: 'PodsReady', message } as const)
      : ({ type: 'Available', status: 'False', reason: 'PodsNotReady', message } as const);
  return { readyReplicas: ready, conditions: [available] };
}
`;
}

function deploymentControllerTest(kind: string, operator: string): string {
  return `/** ${kind} on a cluster in the process, in virtual time, with just the rights that the operator declares. */
import { test } from 'node:test';
import { conditionOf } from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { startCluster } from '@keelson/testing';
import { ${kind} } from '${ownModule(kind)}';
import { ${operator} } from '../operator.ts';

const sample = { metadata: { namespace: 'default', name: 'sample' }, spec: { image: 'image:1', replicas: 2 } };

test('the pods of a ${kind} are as many as it asks for, and it says when they are ready', async () => {
  await using cluster = await startCluster({ operators: [${operator}] });
  await cluster.client.create(${kind}, sample);
  await cluster.eventually(${kind}, 'default/sample', (each) => conditionOf(each, 'Available').status === 'True');

  await cluster.client.patch(${kind}, 'default/sample', { spec: { replicas: 3 } });
  await cluster.eventually(${kind}, 'default/sample', ({ status }) => status?.readyReplicas === 3);
});

test('the Deployment of a ${kind} is repaired when somebody changes it, and goes with it', async () => {
  await using cluster = await startCluster({ operators: [${operator}] });
  await cluster.client.create(${kind}, sample);
  await cluster.eventually(Deployment, 'default/sample', ({ spec }) => spec.replicas === 2);

  await cluster.client.patch(Deployment, 'default/sample', { spec: { replicas: 7 } });
  await cluster.eventually(Deployment, 'default/sample', ({ spec }) => spec.replicas === 2);

  await cluster.client.delete(${kind}, 'default/sample');
  await cluster.eventuallyGone(Deployment, 'default/sample');
});
`;
}

function emptyController(kind: string, from: string): string {
  const one = variableOf(kind, ['logger', 'controller', 'done']);
  const other = from.startsWith('@');
  const own = `import { ${kind} } from '${from}';\n`;
  const runtime = `import { controller, done } from '@keelson/runtime';\n`;
  return `/** Is called for every ${kind}, after each change of it; what it declares beside \`for\` is in the docs of the engine. */
${other ? own + runtime : runtime + own}
export const ${controllerIdentifier(kind)} = controller({
  for: ${kind},
  async reconcile(${one}, { logger }) {
    logger.info('Seen', { generation: ${one}.metadata.generation });
    return done;
  },
});
`;
}

function emptyControllerTest(kind: string, operator: string): string {
  return `/** The controller of ${kind} on a cluster in the process, in virtual time, with just the rights that the operator declares. */
import { test } from 'node:test';
import { startCluster } from '@keelson/testing';
import { ${operator} } from '../operator.ts';

test('the operator runs for an hour beside a controller of ${kind}, and nothing goes wrong', async () => {
  await using cluster = await startCluster({ operators: [${operator}] });
  await cluster.clock.advance(3_600_000);
});
`;
}
