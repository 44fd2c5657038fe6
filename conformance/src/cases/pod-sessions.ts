/** Exec, attach and port-forward, as far as the API server has a say: who may, which container, and of which node. */
import type { Area } from '../case.ts';
import type { Fields } from '../exchange.ts';
import { as, grant, rule } from '../identities.ts';
import { pod } from '../objects.ts';
import { pods, serviceAccounts } from '../paths.ts';
import { badRequest, methodNotAllowed, notFound } from '../refusals.ts';
import type { Trial } from '../trial.ts';

const container = (name: string) => ({ name, image: 'example.com/main:1' });
const ls = { command: 'ls', stdout: true };

/** The path of a pod. */
async function podIn(t: Trial, namespace: string, spec: Fields = {}): Promise<string> {
  await t.post(serviceAccounts(namespace), { metadata: { name: 'default' } });
  (await t.post(pods(namespace), pod('a', spec))).is(201);
  return `${pods(namespace)}/a`;
}

export const podSessions: Area = {
  name: 'pod sessions',
  proves: ['P1'],
  cases: {
    'in a pod that no node has are refused': async (t) => {
      const path = await podIn(t, await t.namespace());
      const refusal = badRequest('pod a does not have a host assigned');
      for (const what of ['exec', 'attach', 'portforward']) {
        (await t.get(`${path}/${what}`, { query: ls })).refuses(refusal);
        (await t.post(`${path}/${what}`, {}, { query: ls })).refuses(refusal);
      }
    },

    'in a pod that does not exist are not found': async (t) => {
      const path = `${pods(await t.namespace())}/a`;
      for (const what of ['exec', 'attach', 'portforward']) {
        (await t.get(`${path}/${what}`, { query: ls })).refuses(notFound('pods', 'a'));
      }
    },

    'in one container among several need its name': async (t) => {
      const containers = [container('second'), container('third')];
      const path = await podIn(t, await t.namespace(), { initContainers: [container('first')], containers });
      for (const what of ['exec', 'attach']) {
        (await t.get(`${path}/${what}`, { query: ls })).refuses(
          badRequest('a container name must be specified for pod a, choose one of: [first second third]'),
        );
        (await t.get(`${path}/${what}`, { query: { ...ls, container: 'fourth' } })).refuses(
          badRequest('container fourth is not valid for pod a'),
        );
      }
    },

    // It says pods where it means nodes.
    'in a pod on a node that does not exist are not found': async (t) => {
      const path = await podIn(t, await t.namespace(), { nodeName: 'conformance' });
      (await t.get(`${path}/exec`, { query: ls })).refuses(notFound('pods', 'conformance'));
    },

    // It does not say what is missing.
    'need the right to create, whichever method asks': async (t) => {
      const namespace = await t.namespace();
      const path = await podIn(t, namespace);
      const jane = t.name('jane');
      for (const subresource of ['exec', 'attach', 'portforward']) {
        await grant(t, namespace, jane, rule('get', `pods/${subresource}`));
        (await t.get(`${path}/${subresource}`, { query: ls, ...as(jane) })).refuses({
          code: 403,
          reason: 'Forbidden',
          message: 'pods "a" is forbidden: ',
          details: { name: 'a', kind: 'pods' },
        });
      }
    },

    'cannot be changed or deleted': async (t) => {
      const path = `${await podIn(t, await t.namespace())}/exec`;
      (await t.put(path, {})).refuses(methodNotAllowed);
      (await t.delete(path)).refuses(methodNotAllowed);
    },
  },
};
