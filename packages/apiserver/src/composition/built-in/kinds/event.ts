/**
 * Events, of which there are two kinds and one storage: `v1` as it is stored, `events.k8s.io/v1` by other names.
 */

import { equalJson } from '@keelson/core';
import {
  invalidValue,
  type Problem,
  qualifiedNameProblems,
  required,
  subdomainProblems,
} from '@keelson/schema/validation';
import { decodeGo } from '../../../decode/go-json.ts';
import { goType } from '../../../decode/go-types.ts';
import { type ApiObject, at, type JsonObject } from '../../../object.ts';
import { eventTable } from '../tables/event.ts';
import type { KindRules } from './kind-rules.ts';

/** Names in `events.k8s.io/v1` and in `v1`. */
const names: readonly (readonly [string, string])[] = [
  ['regarding', 'involvedObject'],
  ['note', 'message'],
  ['reportingController', 'reportingComponent'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
];

function renamed(object: ApiObject, apiVersion: string, pairs: ReadonlyMap<string, string>): ApiObject {
  if (object.apiVersion === apiVersion) return object;
  const members = Object.entries(object).map(([name, value]) => [pairs.get(name) ?? name, value] as const);
  return { ...(Object.fromEntries(members) as ApiObject), apiVersion };
}

const toCore = new Map(names);
const fromCore = new Map(names.map(([a, b]) => [b, a]));

/** In the shape that Go gives to the kind: some empty members are written in one, and left out in the other. */
function shaped(object: ApiObject, schemaName: string): ApiObject {
  const type = goType(schemaName);
  if (type === undefined) throw new Error(`${schemaName} is no Go struct`);
  const { apiVersion, kind, metadata } = object;
  return { ...decodeGo(object, type).value, apiVersion, kind, metadata };
}

const shown = new WeakMap<ApiObject, ApiObject>();

/** A stored event under its newer names. */
function shownEvent(object: ApiObject): ApiObject {
  let event = shown.get(object);
  if (event === undefined) {
    event = shaped(renamed(object, 'events.k8s.io/v1', fromCore), 'io.k8s.api.events.v1.Event');
    shown.set(object, event);
  }
  return event;
}

const stored = (object: ApiObject): ApiObject => renamed(object, 'v1', toCore);

/** Old events have no time of their own; they must be in the namespace of what they are about. */
function problems(event: ApiObject, reporter: string): readonly Problem[] {
  const namespace = event.metadata.namespace ?? '';
  const about = String(at(event, 'involvedObject', 'namespace') ?? '');
  const causes: Problem[] = [];
  const elsewhere = () =>
    causes.push(invalidValue('involvedObject.namespace', about, 'does not match event.namespace'));
  if (!event.eventTime) {
    if (about === '' ? namespace !== '' && namespace !== 'default' : namespace !== about) elsewhere();
  } else {
    if (about === '' && namespace !== 'default' && namespace !== 'kube-system') elsewhere();
    const controller = String(event.reportingComponent ?? '');
    if (controller === '') causes.push(required(reporter));
    for (const problem of qualifiedNameProblems(controller)) causes.push(invalidValue(reporter, controller, problem));
    for (const [name, needed, limit] of [
      ['reportingInstance', true, 128],
      ['action', true, 128],
      ['reason', true, 128],
      ['message', false, 1024],
    ] as const) {
      const value = String(event[name] ?? '');
      if (needed && value === '') causes.push(required(name));
      if (Buffer.byteLength(value) > limit) causes.push(invalidValue(name, '', `can have at most ${limit} characters`));
    }
  }
  for (const problem of subdomainProblems(namespace)) causes.push(invalidValue('namespace', namespace, problem));
  return causes;
}

function seriesProblems(event: ApiObject): readonly Problem[] {
  if (event.series === undefined) return [];
  return [
    ...(((at(event, 'series', 'count') as number | undefined) ?? 0) < 2
      ? [invalidValue('series.count', '', 'should be at least 2')]
      : []),
    ...(at(event, 'series', 'lastObservedTime') ? [] : [required('series.lastObservedTime')]),
  ];
}

/** Creation by the newer kind is strict. */
function strictProblems(object: ApiObject): readonly Problem[] {
  const event = stored(object);
  const unset = ['firstTimestamp', 'lastTimestamp', 'count'].filter((name) => event[name]);
  const source = event.source as JsonObject | undefined;
  return [
    ...problems(event, 'reportingController'),
    ...seriesProblems(event),
    ...(event.eventTime ? [] : [required('eventTime')]),
    ...(event.type === 'Normal' || event.type === 'Warning'
      ? []
      : [invalidValue('type', '', `has invalid value: ${event.type ?? ''}`)]),
    ...unset.map((name) => invalidValue(name, '', 'needs to be unset')),
    ...(source?.component || source?.host ? [invalidValue('source', '', 'needs to be unset')] : []),
  ];
}

const fixed = [
  'involvedObject',
  'reason',
  'message',
  'source',
  'firstTimestamp',
  'lastTimestamp',
  'count',
  'type',
  'eventTime',
  'action',
  'related',
  'reportingComponent',
  'reportingInstance',
];

const field =
  (...path: string[]) =>
  (object: ApiObject): string =>
    String(at(stored(object), ...path) ?? '');

const fields = {
  'involvedObject.kind': field('involvedObject', 'kind'),
  'involvedObject.namespace': field('involvedObject', 'namespace'),
  'involvedObject.name': field('involvedObject', 'name'),
  'involvedObject.uid': field('involvedObject', 'uid'),
  'involvedObject.apiVersion': field('involvedObject', 'apiVersion'),
  'involvedObject.resourceVersion': field('involvedObject', 'resourceVersion'),
  'involvedObject.fieldPath': field('involvedObject', 'fieldPath'),
  reason: field('reason'),
  reportingComponent: field('reportingComponent'),
  source: (object: ApiObject) => field('source', 'component')(object) || field('reportingComponent')(object),
  type: field('type'),
};

const common: KindRules = {
  createOnUpdate: true,
  collectible: false,
  // The name of an event of v1 is checked by nothing but the rules of paths.
  nameProblems: () => [],
  fields,
  shortUnknownField: true,
  table: { ...eventTable, cells: (object, now) => eventTable.cells(stored(object), now) },
};

export const coreEvent: KindRules = {
  ...common,
  alias: { group: 'events.k8s.io', version: 'v1', fromStorage: shownEvent },
  validate: (object) => problems(object, 'reportingComponent'),
};

export const event: KindRules = {
  ...common,
  fields: {
    ...Object.fromEntries(
      Object.entries(fields).map(([name, get]) => [name.replace('involvedObject', 'regarding'), get]),
    ),
    reportingController: field('reportingComponent'),
  },
  internalGroup: '',
  toStorage: (object) => shaped(stored(object), 'io.k8s.api.core.v1.Event'),
  alias: { group: '', version: 'v1', fromStorage: (object) => object },
  fromStorage: shownEvent,
  validate: strictProblems,
  validateChanged: (object) => problems(stored(object), 'reportingController'),
  validateUpdate(object, old) {
    const [before, after] = [stored(old), stored(object)];
    return fixed.flatMap((name) =>
      equalJson(before[name], after[name]) ? [] : [invalidValue(name, after[name] ?? null, 'field is immutable')],
    );
  },
};
