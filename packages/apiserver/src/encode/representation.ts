/**
 * Objects, lists and watch events as bytes, in the form that was negotiated.
 *
 * Promises: what does not depend on the time is serialised once for each revision and shared; a list is the bytes of its
 * items with something between them.
 */

import type { Status } from '@keelson/core';
import { encodeObject, jsonText } from '../json-text.ts';
import type { ApiObject, JsonObject } from '../object.ts';
import { apiVersionOf, type Resource } from '../resource/resource.ts';
import { badRequest, StatusError } from '../status.ts';
import type { Revision } from '../store/revision.ts';
import type { Form } from './negotiate.ts';

export interface ListMeta {
  readonly resourceVersion: string;
  readonly continue?: string | undefined;
  readonly remainingItemCount?: number | undefined;
}

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

export interface Representation {
  /** Equal names give equal bytes; `undefined` where they depend on when they are made. */
  readonly name: string | undefined;
  object(revision: Revision): readonly Buffer[];
  list(revisions: readonly Revision[], meta: ListMeta): readonly Buffer[];
  /** One line of a watch. */
  event(type: EventType, revision: Revision): readonly Buffer[];
  /** The line that says how far a watch has come; `object` has metadata and nothing else. */
  bookmark(object: ApiObject): readonly Buffer[];
}

const newline = Buffer.from('\n');
const eventEnd = Buffer.from('}\n');
const bookmarkBegin = Buffer.from('{"type":"BOOKMARK","object":');
const comma = Buffer.from(',');
const eventBegin = Object.fromEntries(
  ['ADDED', 'MODIFIED', 'DELETED'].map((type) => [type, Buffer.from(`{"type":"${type}","object":`)]),
) as Readonly<Record<EventType, Buffer>>;

/** A watch's way to say that it failed: HTTP has said 200 already. */
export const errorEvent = (status: Status): Buffer =>
  Buffer.from(`${JSON.stringify({ type: 'ERROR', object: status })}\n`);

const listBytes = (head: JsonObject, items: readonly (readonly Buffer[])[]): readonly Buffer[] => {
  const open = Buffer.from(`${JSON.stringify(head).slice(0, -1)},"items":[`);
  return [open, ...items.flatMap((item, index) => (index === 0 ? item : [comma, ...item])), Buffer.from(']}\n')];
};

function objects(resource: Resource): Representation {
  const { strategy, kind, listKind } = resource;
  const apiVersion = apiVersionOf(resource);
  const form = `json ${strategy.readVersion}`;
  // What a webhook converted belongs to the request that asked for it.
  const bytes = (revision: Revision) =>
    strategy.ahead === undefined
      ? revision.encoded(form, strategy.fromStorage)
      : encodeObject(strategy.fromStorage(revision.object));
  // In a list of a built-in kind the items do not say what they are; the list does.
  const open = Buffer.from('{');
  const cut = Buffer.byteLength(`{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`);
  const item = (revision: Revision) => (strategy.custom ? [bytes(revision)] : [open, bytes(revision).subarray(cut)]);
  return {
    name: strategy.ahead === undefined ? form : undefined,
    object: (revision) => [bytes(revision), newline],
    list: (revisions, meta) => {
      const metadata = strategy.custom ? { continue: '', ...meta } : meta;
      return listBytes({ kind: listKind, apiVersion, metadata }, revisions.map(item));
    },
    event: (type, revision) => [eventBegin[type], bytes(revision), eventEnd],
    bookmark: (object) => [bookmarkBegin, encodeObject(object), eventEnd],
  };
}

/** The metadata of an object, as an object of its own. */
export function partialObject({ metadata }: ApiObject, version: string): ApiObject {
  return { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${version}`, metadata };
}

function partials(version: string): Representation {
  const bytes = (revision: Revision) =>
    revision.encoded(`partial ${version}`, (object) => partialObject(object, version));
  return {
    name: `partial ${version}`,
    object: (revision) => [bytes(revision), newline],
    list: (revisions, metadata) =>
      listBytes(
        { kind: 'PartialObjectMetadataList', apiVersion: `meta.k8s.io/${version}`, metadata },
        revisions.map((revision) => [bytes(revision)]),
      ),
    event: (type, revision) => [eventBegin[type], bytes(revision), eventEnd],
    bookmark: (object) => [bookmarkBegin, encodeObject(partialObject(object, version)), eventEnd],
  };
}

type IncludeObject = 'None' | 'Metadata' | 'Object';

function tables(resource: Resource, version: string, include: IncludeObject, now: () => number): Representation {
  const { strategy } = resource;
  const rules = strategy.table();
  const apiVersion = `meta.k8s.io/${version}`;
  const row = (revision: Revision) => {
    const object = strategy.fromStorage(revision.object);
    const conditions = rules.conditions?.(object);
    return {
      cells: rules.cells(rules.ofStored ? revision.object : object, now()),
      ...(conditions !== undefined && { conditions }),
      object: include === 'None' ? null : include === 'Object' ? object : partialObject(object, version),
    };
  };
  const table = (metadata: JsonObject, rows: readonly unknown[], withColumns = true) =>
    jsonText({
      kind: 'Table',
      apiVersion,
      metadata,
      columnDefinitions: withColumns ? rules.columns : null,
      rows,
    });
  const metaOf = ({ object }: Revision): JsonObject => ({ resourceVersion: object.metadata.resourceVersion });
  // A watch says once what its columns are.
  let told = false;
  return {
    name: undefined,
    object: (revision) => [Buffer.from(`${table(metaOf(revision), [row(revision)])}\n`)],
    list: (revisions, meta) => [Buffer.from(`${table({ ...meta }, revisions.map(row))}\n`)],
    event(type, revision) {
      const text = table(metaOf(revision), [row(revision)], !told);
      told = true;
      return [eventBegin[type], Buffer.from(text), eventEnd];
    },
    bookmark(object) {
      const cells = rules.columns.map(({ type }) => (type === 'integer' ? 0 : type === 'boolean' ? false : ''));
      const { resourceVersion } = object.metadata;
      const text = table({ resourceVersion }, [{ cells, object: partialObject(object, version) }], !told);
      told = true;
      return [bookmarkBegin, Buffer.from(text), eventEnd];
    },
  };
}

/** `undefined` of `includeObject` means metadata. */
export function representation(
  resource: Resource,
  form: Form,
  options: { readonly query: URLSearchParams; readonly now: () => number },
): Representation {
  switch (form.type) {
    case 'object':
      return objects(resource);
    case 'partial':
      return partials(form.version);
    case 'table': {
      const include = options.query.get('includeObject') || 'Metadata';
      if (include !== 'None' && include !== 'Metadata' && include !== 'Object') {
        throw badRequest(
          `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(include)}: must be 'Metadata', 'Object', 'None', or empty`,
        );
      }
      return tables(resource, form.version, include, options.now);
    }
    default:
      return form satisfies never;
  }
}

/** Who asks for the metadata of a list must ask for a list of it; kubectl and client-go know. */
export function assertFits({ group, kind, listKind, strategy }: Resource, form: Form, isList: boolean): void {
  if (form.type !== 'partial' || form.isList === isList) return;
  const folder = strategy.custom ? 'unstructured' : group.split('.')[0] || 'core';
  const goType = strategy.custom ? (isList ? 'UnstructuredList' : 'Unstructured') : isList ? listKind : kind;
  throw new StatusError(
    406,
    'NotAcceptable',
    isList
      ? `you requested PartialObjectMetadata, but the requested object is a list (*${folder}.${goType})`
      : `you requested PartialObjectMetadataList, but the requested object is not a list (*${folder}.${goType})`,
  );
}
