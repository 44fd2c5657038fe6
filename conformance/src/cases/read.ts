/** Reading single objects, and the ways in which a path leads nowhere. */
import type { Area } from '../case.ts';
import { widgets } from '../custom-resources.ts';
import { configMap } from '../objects.ts';
import { configMaps, deployments } from '../paths.ts';
import { methodNotAllowed, noSuchResource, notFound } from '../refusals.ts';

export const read: Area = {
  name: 'read',
  proves: ['E1'],
  cases: {
    'an object that does not exist is not found': async (t) => {
      (await t.get(`${configMaps(await t.namespace())}/a`)).refuses(notFound('configmaps', 'a'));
    },

    'an object of a group that does not exist is not found by resource and group': async (t) => {
      (await t.get(`${deployments(await t.namespace())}/a`)).refuses(notFound('deployments.apps', 'a'));
    },

    'a custom resource that does not exist is not found': async (t) => {
      const widget = await widgets(t);
      (await t.get(`${widget.in(await t.namespace())}/a`)).refuses(notFound(widget.crd, 'a'));
    },

    'an object in a namespace that does not exist is not found itself': async (t) => {
      (await t.get(`${configMaps(t.name('nowhere'))}/a`)).refuses(notFound('configmaps', 'a'));
    },

    'an unknown resource of a known version is a Status': async (t) => {
      (await t.get('/api/v1/namespaces/default/doodads')).refuses(noSuchResource);
      (await t.get('/apis/apps/v1/namespaces/default/doodads/a')).refuses(noSuchResource);
    },

    'an unknown version of a known group is a Status': async (t) => {
      (await t.get('/apis/apps/v9/deployments')).refuses(noSuchResource);
    },

    'an unknown subresource is a Status': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.post(path, configMap('a'))).is(201);
      (await t.get(`${path}/a/doodad`)).refuses(noSuchResource);
      // ConfigMaps have no status.
      (await t.get(`${path}/a/status`)).refuses(noSuchResource);
    },

    'an unknown group or path is plain text': async (t) => {
      for (const path of ['/apis/doodads.example.com/v1/things', '/doodads']) {
        const answer = await t.get(path);
        answer.is(404);
        answer.has('content-type', 'text/plain; charset=utf-8');
        answer.judge(answer.text, '404 page not found\n');
      }
    },

    'a verb that a resource does not have is not allowed': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.put(path, configMap('a'))).refuses(methodNotAllowed);
      (await t.mergePatch(path, {})).refuses(methodNotAllowed);
    },

    'a representation that the server does not have is not acceptable': async (t) => {
      const answer = await t.get(configMaps('default'), { headers: { accept: 'text/plain' } });
      answer.refuses({
        code: 406,
        reason: 'NotAcceptable',
        message: /^406: Not Acceptable\n\nAvailable representations: application\/json, /,
        details: {},
      });
    },

    'any of several representations will do': async (t) => {
      const path = configMaps(await t.namespace());
      const answer = await t.get(path, { headers: { accept: 'text/plain, application/json;q=0.5' } });
      answer.is(200, { kind: 'ConfigMapList' });
      (await t.get(path, { headers: { accept: '*/*' } })).is(200, { kind: 'ConfigMapList' });
    },

    'an object can be had in YAML': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.post(path, configMap('a', { key: '1' }))).is(201);
      const answer = await t.get(`${path}/a`, { headers: { accept: 'application/yaml' } });
      answer.is(200);
      answer.has('content-type', 'application/yaml');
      answer.judge(answer.text, /^apiVersion: v1\ndata:\n {2}key: "1"\nkind: ConfigMap\nmetadata:\n/);
    },

    'a token that nobody issued is unauthorized': async (t) => {
      const headers = { authorization: 'Bearer nobody' };
      const answer = await t.session.stranger.send('GET', configMaps('default'), { headers });
      answer.refuses({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' });
    },
  },
};
