/** Events: core v1 and events.k8s.io/v1 are two views of the same objects. */
import type { Area } from '../case.ts';
import type { Body } from '../exchange.ts';
import { exactly, resourceVersion, timestamp, uid } from '../match.ts';
import { coreEvents, events as newEvents } from '../paths.ts';
import { badRequest, invalid } from '../refusals.ts';

const coreEvent = (namespace: string, name: string) => ({
  metadata: { name },
  involvedObject: { kind: 'Pod', namespace, name: 'p', uid: 'u' },
  reason: 'Started',
  message: 'It began.',
  type: 'Normal',
  source: { component: 'conformance' },
  firstTimestamp: '2026-01-01T00:00:00Z',
  lastTimestamp: '2026-01-01T00:00:00Z',
  count: 1,
});

const newEvent = (namespace: string, name: string) => ({
  metadata: { name },
  eventTime: '2026-01-01T00:00:00.123456Z',
  reportingController: 'example.com/conformance',
  reportingInstance: 'conformance-1',
  action: 'Start',
  reason: 'Started',
  regarding: { kind: 'Pod', namespace, name: 'p', uid: 'u' },
  note: 'It began.',
  type: 'Normal',
});

const namesOf = ({ items }: Body) => items.map(({ metadata }) => metadata.name);
const required = (field: string) => ({ reason: 'FieldValueRequired', message: 'Required value', field });

export const eventViews: Area = {
  name: 'events',
  proves: ['U1'],
  cases: {
    'one of core is shown whole, with what it lacks as null or empty': async (t) => {
      const namespace = await t.freshNamespace();
      const body = coreEvent(namespace, 'a');
      (await t.post(coreEvents(namespace), body)).is(
        201,
        exactly({
          ...body,
          kind: 'Event',
          apiVersion: 'v1',
          metadata: {
            name: 'a',
            namespace,
            uid,
            resourceVersion,
            creationTimestamp: timestamp,
            managedFields: (value: unknown) => Array.isArray(value) && value.length === 1,
          },
          eventTime: null,
          reportingComponent: '',
          reportingInstance: '',
        }),
      );
    },

    'one of core is seen through events.k8s.io': async (t) => {
      const namespace = await t.freshNamespace();
      const body = coreEvent(namespace, 'a');
      const { metadata } = (await t.post(coreEvents(namespace), body)).is(201);
      (await t.get(`${newEvents(namespace)}/a`)).is(
        200,
        exactly({
          kind: 'Event',
          apiVersion: 'events.k8s.io/v1',
          metadata,
          eventTime: null,
          reason: 'Started',
          regarding: body.involvedObject,
          note: 'It began.',
          type: 'Normal',
          deprecatedSource: { component: 'conformance' },
          deprecatedFirstTimestamp: '2026-01-01T00:00:00Z',
          deprecatedLastTimestamp: '2026-01-01T00:00:00Z',
          deprecatedCount: 1,
        }),
      );
    },

    'one of events.k8s.io is seen through core': async (t) => {
      const namespace = await t.freshNamespace();
      const body = newEvent(namespace, 'a');
      const created = await t.post(newEvents(namespace), body);
      const { metadata } = created.is(201, {
        ...body,
        deprecatedSource: {},
        deprecatedFirstTimestamp: null,
        deprecatedLastTimestamp: null,
      });
      (await t.get(`${coreEvents(namespace)}/a`)).is(
        200,
        exactly({
          kind: 'Event',
          apiVersion: 'v1',
          metadata,
          involvedObject: body.regarding,
          reason: 'Started',
          message: 'It began.',
          source: {},
          firstTimestamp: null,
          lastTimestamp: null,
          type: 'Normal',
          eventTime: body.eventTime,
          action: 'Start',
          reportingComponent: 'example.com/conformance',
          reportingInstance: 'conformance-1',
        }),
      );
    },

    'managedFields keep the words of the view that wrote': async (t) => {
      const namespace = await t.freshNamespace();
      (await t.post(newEvents(namespace), newEvent(namespace, 'a'))).is(201);
      (await t.get(`${coreEvents(namespace)}/a`)).is(200, {
        metadata: {
          managedFields: [
            {
              apiVersion: 'events.k8s.io/v1',
              fieldsV1: exactly({
                'f:action': {},
                'f:eventTime': {},
                'f:note': {},
                'f:reason': {},
                'f:regarding': {},
                'f:reportingController': {},
                'f:reportingInstance': {},
                'f:type': {},
              }),
            },
          ],
        },
      });
    },

    'a watch of one view sees what is written through the other': async (t) => {
      const namespace = await t.freshNamespace();
      const watch = await t.watch(newEvents(namespace), {});
      (await t.post(coreEvents(namespace), coreEvent(namespace, 'a'))).is(201);
      await watch.next({ type: 'ADDED', object: { apiVersion: 'events.k8s.io/v1', note: 'It began.' } });
    },

    'a deletion through one view holds for the other': async (t) => {
      const namespace = await t.freshNamespace();
      (await t.post(coreEvents(namespace), coreEvent(namespace, 'a'))).is(201);
      (await t.delete(`${newEvents(namespace)}/a`)).is(200, {
        status: 'Success',
        details: { name: 'a', group: 'events.k8s.io', kind: 'events' },
      });
      (await t.get(`${coreEvents(namespace)}/a`)).is(404);
    },

    'one of core counts on by a patch': async (t) => {
      const namespace = await t.freshNamespace();
      (await t.post(coreEvents(namespace), coreEvent(namespace, 'a'))).is(201);
      const patch = { count: 2, lastTimestamp: '2026-01-01T00:01:00Z', message: 'It began again.' };
      (await t.strategicPatch(`${coreEvents(namespace)}/a`, patch)).is(200, patch);
    },

    'one of events.k8s.io becomes a series, and nothing else of it changes': async (t) => {
      const namespace = await t.freshNamespace();
      const path = `${newEvents(namespace)}/a`;
      (await t.post(newEvents(namespace), newEvent(namespace, 'a'))).is(201);
      const series = { count: 2, lastObservedTime: '2026-01-01T00:01:00.000000Z' };
      (await t.mergePatch(path, { series })).is(200, { series });
      // The words are those of core.
      (await t.mergePatch(path, { note: 'Something else.' })).refuses(
        invalid('Event', 'a', {
          reason: 'FieldValueInvalid',
          message: 'Invalid value: "Something else.": field is immutable',
          field: 'message',
        }),
      );
    },

    'core selects by involvedObject, reason and type': async (t) => {
      const namespace = await t.freshNamespace();
      (await t.post(coreEvents(namespace), coreEvent(namespace, 'a'))).is(201);
      const other = { ...coreEvent(namespace, 'b'), involvedObject: { kind: 'Pod', namespace, name: 'q' } };
      (await t.post(coreEvents(namespace), { ...other, type: 'Warning', reason: 'Failed' })).is(201);
      for (const [fieldSelector, names] of [
        ['involvedObject.name=p,involvedObject.kind=Pod,involvedObject.uid=u', ['a']],
        ['type=Warning', ['b']],
        ['reason!=Failed', ['a']],
        [`involvedObject.namespace=${namespace}`, ['a', 'b']],
      ] as const) {
        const answer = await t.get(coreEvents(namespace), { query: { fieldSelector } });
        answer.judge(namesOf(answer.is(200)), names, fieldSelector);
      }
    },

    'events.k8s.io selects by regarding': async (t) => {
      const namespace = await t.freshNamespace();
      (await t.post(coreEvents(namespace), coreEvent(namespace, 'a'))).is(201);
      const answer = await t.get(newEvents(namespace), { query: { fieldSelector: 'regarding.name=p' } });
      answer.judge(namesOf(answer.is(200)), ['a']);
      (await t.get(newEvents(namespace), { query: { fieldSelector: 'involvedObject.name=p' } })).refuses(
        badRequest('field label not supported: involvedObject.name'),
      );
    },

    'core refuses an object of another namespace': async (t) => {
      const namespace = await t.freshNamespace();
      const involvedObject = { kind: 'Pod', namespace: 'another', name: 'p' };
      (await t.post(coreEvents(namespace), { ...coreEvent(namespace, 'a'), involvedObject })).refuses(
        invalid('Event', 'a', {
          reason: 'FieldValueInvalid',
          message: 'Invalid value: "another": does not match event.namespace',
          field: 'involvedObject.namespace',
        }),
      );
    },

    'core takes one about an object without a namespace only in default': async (t) => {
      const namespace = await t.freshNamespace();
      const involvedObject = { kind: 'Node', name: 'n' };
      (await t.post(coreEvents(namespace), { ...coreEvent(namespace, 'a'), involvedObject })).is(422);
      const inDefault = { ...coreEvent('default', t.name('event')), involvedObject };
      (await t.post(coreEvents('default'), inDefault)).is(201);
    },

    'events.k8s.io requires a time': async (t) => {
      const namespace = await t.freshNamespace();
      const { eventTime: _, ...rest } = newEvent(namespace, 'a');
      (await t.post(newEvents(namespace), rest)).refuses(invalid('Event', 'a', required('eventTime')));
    },

    'events.k8s.io requires instance, action and reason': async (t) => {
      const namespace = await t.freshNamespace();
      const body = { ...newEvent(namespace, 'a'), reportingInstance: '', action: '', reason: '' };
      (await t.post(newEvents(namespace), body)).refuses(
        invalid('Event', 'a', required('reportingInstance'), required('action'), required('reason')),
      );
    },
  },
};
