/** What an author's compiler says of a webhook: its kind, operations and reads type the request. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operator, rulesOf } from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { ConfigMap, Pod, Secret } from '@keelson/core/v1';
import { type Webhook, webhook } from './webhook.ts';

/** Never called: it only has to compile, and each marked line has to fail to. */
const typed = webhook(Deployment, {
  reads: [ConfigMap],
  operations: ['CREATE', 'UPDATE', 'DELETE'],
  default(request) {
    const { object } = request;
    // @ts-expect-error a DELETE never comes here
    if (request.operation === 'DELETE') return undefined;
    // @ts-expect-error what was sent is read-only
    object.spec.replicas = 3;
    return { ...object, spec: { ...object.spec, replicas: object.spec.replicas ?? 3 } };
  },
  validate(request) {
    const { user, dryRun, cache } = request;
    const name: string | undefined = request.name;
    // @ts-expect-error Secret is not among what it reads
    cache.get(Secret, 'a/b');
    const limit = cache.get(ConfigMap, 'a/b')?.data?.limit;
    switch (request.operation) {
      case 'CREATE': {
        // @ts-expect-error a new object may have no name yet
        const named: string = request.object.metadata.name;
        // @ts-expect-error and nothing was there before
        return request.oldObject.spec.replicas === named ? [] : [];
      }
      case 'UPDATE': {
        const both: [string, string] = [request.name, request.object.metadata.uid];
        if (request.object.spec.replicas !== request.oldObject.spec.replicas && both.length === 2) return [];
        return [{ field: ({ spec }) => spec.template.spec?.containers[0]?.image, message: `${limit}` }];
      }
      case 'DELETE':
        // @ts-expect-error a DELETE has no new object
        if (request.object.spec) return [];
        // @ts-expect-error there is no such field
        return [{ field: ({ spec }) => spec.replica, message: `${request.oldObject.spec.replicas} ${dryRun}` }];
      default:
        return [{ warning: `${user.username} ${name} ${request satisfies never}` }];
    }
  },
});

webhook(Pod, {
  // @ts-expect-error what default returns is the object
  default: ({ object }) => object.spec,
});

webhook(Pod, {
  // @ts-expect-error what validate returns is a list
  validate: () => ({ message: 'no' }),
});

webhook(Pod, {
  validate: ({ operation }) => {
    // @ts-expect-error unless it is declared, nothing is asked about a DELETE
    if (operation === 'DELETE') return [];
    return undefined;
  },
});

webhook(Deployment, {
  subresource: 'scale',
  default: ({ object }) => ({ ...object, spec: { replicas: Math.min(object.spec?.replicas ?? 0, 9) } }),
  // @ts-expect-error a Scale has no template
  validate: ({ object, oldObject }) => (object.spec?.replicas === oldObject.spec?.replicas ? [] : object.spec.template),
});

webhook(Deployment, {
  subresource: 'status',
  validate: ({ object, oldObject }) =>
    object.status.readyReplicas === oldObject.status.readyReplicas ? [] : [{ warning: `${object.spec.replicas}` }],
});

webhook(Pod, {
  subresource: 'exec',
  validate({ operation, name, object }) {
    // @ts-expect-error nothing else is done to it
    if (operation === 'UPDATE') return [];
    // @ts-expect-error what is asked about is how to run a command, and no object
    if (object.metadata) return [];
    const pod: string = name;
    return object.tty ? [] : [{ message: `${pod}: ${object.command?.join(' ')}` }];
  },
});

webhook(Pod, {
  subresource: 'eviction',
  validate: ({ operation, object }) => [{ warning: `${operation satisfies 'CREATE'} ${object.deleteOptions?.dryRun}` }],
});

test('what a webhook defaults and validates follows from its functions, and its name from its kind', () => {
  const told = ({ name, defaults, validates, operations }: Webhook) => ({ name, defaults, validates, operations });
  const operations = ['CREATE', 'UPDATE', 'DELETE'];
  assert.deepEqual(told(typed), { name: 'deployment', defaults: true, validates: true, operations });
  const one = webhook(Pod, { name: 'images', validate: () => [] });
  assert.deepEqual(told(one), { name: 'images', defaults: false, validates: true, operations: undefined });
});

test('a kind that is not there yet is named', () => {
  const absent = undefined as unknown as typeof Pod;
  assert.throws(
    () => webhook(absent, {}),
    /^RangeError: webhook: its kind is undefined; modules that import each other/,
  );
  assert.throws(() => webhook(Pod, { reads: [Pod, absent] }), /^RangeError: webhook pod: reads\[1\] is undefined/);
});

test('the rules of an operator with webhooks alone are to read, and to keep its certificates as long as its Deployment', () => {
  const rules = rulesOf(operator({ name: 'example', webhooks: [typed], events: false }));
  assert.deepEqual(
    rules.map(({ resources }) => resources[0]),
    [
      ...['configmaps', 'secrets', 'secrets', 'mutatingwebhookconfigurations', 'validatingwebhookconfigurations'],
      'deployments', // whose it makes them
    ],
  );
});
