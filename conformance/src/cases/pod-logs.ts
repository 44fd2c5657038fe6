/** Logs of pods, as far as the API server has a say: which container, with which options, and of which node. */
import type { Area } from '../case.ts';
import type { Fields } from '../exchange.ts';
import { pod } from '../objects.ts';
import { pods, serviceAccounts } from '../paths.ts';
import { badRequest, type Cause, invalid, methodNotAllowed, notFound } from '../refusals.ts';
import type { Trial } from '../trial.ts';

const container = (name: string) => ({ name, image: 'example.com/main:1' });

/** The path of a pod's log. */
async function logOf(t: Trial, spec: Fields = {}): Promise<string> {
  const namespace = await t.namespace();
  await t.post(serviceAccounts(namespace), { metadata: { name: 'default' } });
  (await t.post(pods(namespace), pod('a', spec))).is(201);
  return `${pods(namespace)}/a/log`;
}

const several = {
  initContainers: [container('first')],
  containers: [container('second'), container('third')],
};

export const podLogs: Area = {
  name: 'pod logs',
  proves: ['P1'],
  cases: {
    'of a pod that no node has are nothing at all': async (t) => {
      const path = await logOf(t);
      for (const query of [{}, { follow: true }, { previous: true }, { container: 'main' }]) {
        const answer = await t.get(path, { query });
        answer.is(204);
        answer.judge(answer.text, '', 'the body');
        answer.has('content-type', undefined);
      }
    },

    'of a pod that does not exist are not found': async (t) => {
      const path = `${pods(await t.namespace())}/a/log`;
      (await t.get(path)).refuses(notFound('pods', 'a'));
    },

    'of one container among several need its name': async (t) => {
      const path = await logOf(t, several);
      (await t.get(path)).refuses(
        badRequest('a container name must be specified for pod a, choose one of: [first second third]'),
      );
      (await t.get(path, { query: { container: 'first' } })).is(204);
      (await t.get(path, { query: { container: 'fourth' } })).refuses(
        badRequest('container fourth is not valid for pod a'),
      );
    },

    // It says pods where it means nodes.
    'of a pod on a node that does not exist are not found': async (t) => {
      const path = await logOf(t, { nodeName: 'conformance' });
      (await t.get(path)).refuses(notFound('pods', 'conformance'));
    },

    'with options that cannot be are refused': async (t) => {
      const path = await logOf(t);
      const refused = async (query: Readonly<Record<string, string | number>>, ...causes: readonly Cause[]) =>
        (await t.get(path, { query })).refuses(invalid('PodLogOptions', 'a', ...causes));
      const value = (field: string, message: string): Cause => ({ reason: 'FieldValueInvalid', message, field });
      await refused(
        { tailLines: -1, limitBytes: 0, sinceSeconds: 0 },
        value('tailLines', 'Invalid value: -1: must be greater than or equal to 0'),
        value('limitBytes', 'Invalid value: 0: must be greater than 0'),
        value('sinceSeconds', 'Invalid value: 0: must be greater than 0'),
      );
      await refused(
        { sinceSeconds: 1, sinceTime: '2026-01-01T00:00:00Z' },
        {
          reason: 'FieldValueForbidden',
          message: 'Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified',
          field: '[]',
        },
      );
      await refused(
        { stream: 'Stdout' },
        { reason: 'FieldValueForbidden', message: 'Forbidden: may not be specified', field: 'stream' },
      );
    },

    'with options that cannot be read are refused': async (t) => {
      const path = await logOf(t);
      (await t.get(path, { query: { tailLines: 'x' } })).refuses(
        badRequest('strconv.ParseInt: parsing "x": invalid syntax'),
      );
      (await t.get(path, { query: { sinceTime: 'x' } })).refuses(
        badRequest('parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"'),
      );
      (await t.get(path, { query: { follow: 'x' } })).is(204); // anything but false is true
    },

    'can only be read': async (t) => {
      const path = await logOf(t);
      (await t.post(path, {})).refuses(methodNotAllowed);
      (await t.delete(path)).refuses(methodNotAllowed);
    },
  },
};
