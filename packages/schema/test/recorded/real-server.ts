/** Asks a real API server what it makes of objects and schemas. */
import { Agent, request } from 'node:https';
import { deadline, sleep } from '@keelson/core';
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import { systemClock } from '@keelson/core/system';
import type { Kubernetes } from '@keelson/tools-kubernetes';
import {
  type Answer,
  type Case,
  type Cause,
  comparable,
  comparableWarnings,
  type Group,
  type Json,
  type SchemaCase,
} from './recording.ts';

interface Response {
  readonly status: number;
  readonly warnings: readonly string[];
  // biome-ignore lint/suspicious/noExplicitAny: answers are what they are.
  readonly body: any;
}

export interface Server extends Disposable {
  request(method: string, path: string, body?: unknown): Promise<Response>;
}

export async function connect(kube: Kubernetes): Promise<Server> {
  const config = JSON.parse((await kube.kubectl('config', 'view', '--raw', '-o', 'json')).stdout);
  const { cluster } = config.clusters[0];
  const { user } = config.users[0];
  const decode = (data: string) => Buffer.from(data, 'base64');
  const agent = new Agent({
    keepAlive: true,
    ca: decode(cluster['certificate-authority-data']),
    cert: decode(user['client-certificate-data']),
    key: decode(user['client-key-data']),
  });
  return {
    request: (method, path, body) =>
      new Promise((resolve, reject) => {
        const payload = body === undefined ? '' : JSON.stringify(body);
        const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) };
        const outgoing = request(new URL(path, kube.server), { method, agent, headers }, (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString();
            const isJson = response.headers['content-type']?.startsWith('application/json');
            const warnings = comparableWarnings([response.headers.warning ?? []].flat().flatMap(warningTexts));
            resolve({ status: response.statusCode ?? 0, warnings, body: isJson ? JSON.parse(text) : { text } });
          });
        });
        outgoing.on('error', reject);
        outgoing.end(payload);
      }),
    [Symbol.dispose]: () => agent.destroy(),
  };
}

function warningTexts(header: string): readonly string[] {
  return [...header.matchAll(/299 - ("(?:\\.|[^"\\])*")/g)].map(([, text = '""']) => JSON.parse(text) as string);
}

const apiGroup = 'recorded.example.com';
const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Old objects are written in the version `lax`, which accepts everything, so that they need not be valid in v1. */
const lax = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as const;

function definition(name: string, schema: JSONSchemaProps, hasStatus: boolean, withLax: boolean) {
  const kind = name.charAt(0).toUpperCase() + name.slice(1);
  const version = { served: true, ...(hasStatus && { subresources: { status: {} } }) };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${name}s.${apiGroup}` },
    spec: {
      group: apiGroup,
      scope: 'Namespaced',
      names: { plural: `${name}s`, singular: name, kind, listKind: `${kind}List` },
      versions: [
        { ...version, name: 'v1', storage: !withLax, schema: { openAPIV3Schema: schema } },
        ...(withLax ? [{ ...version, name: 'v1alpha1', storage: true, schema: { openAPIV3Schema: lax } }] : []),
      ],
    },
  };
}

export async function recordSchema(server: Server, { schema, hasStatus = false }: SchemaCase): Promise<Answer> {
  const { status, body, warnings } = await server.request(
    'POST',
    `${crds}?dryRun=All`,
    definition('widget', schema, hasStatus, false),
  );
  return { status, warnings, ...(status >= 400 && { causes: comparable(body.details?.causes ?? []) }) };
}

export async function recordGroup(server: Server, group: Group, name: string): Promise<readonly Answer[]> {
  const crd = definition(name, group.schema, group.hasStatus ?? false, true);
  const created = await server.request('POST', crds, crd);
  if (created.status !== 201) throw new Error(`${group.name}: ${created.body.message}`);
  const { kind, plural } = crd.spec.names;
  const path = (version: string) => `/apis/${apiGroup}/${version}/namespaces/default/${plural}`;
  using limit = deadline(systemClock, 300_000, `${plural} to be served`);
  for (const version of ['v1', 'v1alpha1']) {
    while ((await server.request('GET', path(version))).status !== 200) {
      limit.signal.throwIfAborted();
      await sleep(systemClock, 50);
    }
  }
  const answers: Answer[] = [];
  for (const [i, each] of group.cases.entries()) {
    answers.push(await recordCase(server, each, kind, path, `case-${i}`));
  }
  await server.request('DELETE', `${crds}/${crd.metadata.name}`);
  return answers;
}

async function recordCase(
  server: Server,
  { object, old, isStatus }: Case,
  kind: string,
  path: (version: string) => string,
  name: string,
): Promise<Answer> {
  const typed = (version: string, fields: Json, metadata = {}) => ({
    apiVersion: `${apiGroup}/${version}`,
    kind,
    metadata: { name, ...metadata },
    ...fields,
  });
  if (old === undefined)
    return answerOf(await server.request('POST', `${path('v1')}?fieldValidation=Warn`, typed('v1', object)), kind);
  const before = await server.request('POST', path('v1alpha1'), typed('v1alpha1', old));
  if (before.status !== 201) throw new Error(before.body.message);
  let { resourceVersion } = before.body.metadata;
  if (isStatus) {
    // A new object has no status, whatever it says.
    const withStatus = await server.request(
      'PUT',
      `${path('v1alpha1')}/${name}/status`,
      typed('v1alpha1', old, { resourceVersion }),
    );
    if (withStatus.status !== 200) throw new Error(withStatus.body.message);
    resourceVersion = withStatus.body.metadata.resourceVersion;
  }
  const target = `${path('v1')}/${name}${isStatus ? '/status' : ''}?fieldValidation=Warn`;
  return answerOf(await server.request('PUT', target, typed('v1', object, { resourceVersion })), kind);
}

/** An answer to an object of this kind as recordings have it. */
export function answerOf({ status, body, warnings }: Response, kind: string): Answer {
  if (status === 400) {
    const [, malformed = body.message] = String(body.message).split(`cannot be handled as a ${kind}: `);
    return { status, malformed };
  }
  if (status >= 400) return { status, causes: comparable((body.details?.causes ?? []) as Cause[]), warnings };
  const { apiVersion: _apiVersion, kind: _kind, metadata: _metadata, ...object } = body;
  return { status, warnings, object };
}
