/** A webhook of a kind, whatever its fields, that lets everything through yet; and its test in virtual time. */
import { ownModule } from './controller-files.ts';
import { fileNameOf, webhookIdentifier } from './names.ts';
import type { ScaffoldFile } from './scaffold-file.ts';

/** Which parts a webhook has. */
export interface WebhookParts {
  readonly defaulting: boolean;
  readonly validation: boolean;
}

/** Where the webhook of a kind is. */
export const webhookPath = (kind: string): string => `src/webhooks/${fileNameOf(kind)}.ts`;

/** For a kind of the module `from`; `operator` is the variable that `src/operator.ts` exports. */
export function webhookFiles(
  kind: string,
  from: string | undefined,
  operator: string,
  parts: WebhookParts,
): readonly ScaffoldFile[] {
  return [
    { path: webhookPath(kind), text: webhookText(kind, from ?? ownModule(kind), parts) },
    { path: webhookPath(kind).replace(/\.ts$/, '.test.ts'), text: webhookTest(kind, operator, parts) },
  ];
}

const defaultText = `  default({ object }) {
    return object; // or another: { ...object, spec: { ...object.spec, … } }
  },
`;

const validateText = `  validate() {
    return []; // such as [{ field: 'spec.replicas', message: 'must be odd' }], or [{ warning: 'will be slow' }]
  },
`;

function webhookText(kind: string, from: string, { defaulting, validation }: WebhookParts): string {
  const own = `import { ${kind} } from '${from}';\n`;
  const runtime = `import { webhook } from '@keelson/runtime';\n`;
  return `/**
 * Is asked about every ${kind} before it is stored. What the schema of a kind can say (defaults, limits, rules) belongs
 * there: it needs no process that answers.
 */
${from.startsWith('@') ? own + runtime : runtime + own}
export const ${webhookIdentifier(kind)} = webhook(${kind}, {
${defaulting ? defaultText : ''}${validation ? validateText : ''}});
`;
}

function webhookTest(kind: string, operator: string, { defaulting, validation }: WebhookParts): string {
  const configurations = [
    ...(defaulting ? [['MutatingWebhookConfiguration', 'mutating', 'mutate']] : []),
    ...(validation ? [['ValidatingWebhookConfiguration', 'validating', 'validate']] : []),
  ] as const;
  const imported = configurations.map(([name]) => name).join(', ');
  const checks = configurations.map(
    ([name, key, part]) => `  const ${key} = await cluster.client.get(${name}, names.${key});
  assert.ok(${key}.webhooks?.some(({ name }) => name === \`${part}.${kind.toLowerCase()}.\${${operator}.name}\`));
`,
  );
  return `/** The webhook of ${kind} on a cluster in the process: what a test creates, the operator is asked about. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { webhookNames } from '@keelson/core';
import { ${imported} } from '@keelson/core/admissionregistration/v1';
import { startCluster } from '@keelson/testing';
import { ${operator} } from '../operator.ts';

test('the operator is asked about every ${kind}', async () => {
  await using cluster = await startCluster({ operators: [${operator}] });
  const names = webhookNames(${operator});
${checks.join('')}});
`;
}
