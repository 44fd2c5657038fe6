/**
 * Recordings: what a real API server answered to sequences of writes to one object.
 *
 * A case is written by hand, its answers come from Kubernetes (test/e2e/recordings.test.ts makes and checks them), and
 * the tests of applying and ownership replay them. Recorded answers lose what differs from run to run but is of no
 * interest; times stay, because order and no-ops show in them.
 */
import { applyJsonPatch, applyMergePatch } from '@keelson/core';

export type Json = Record<string, unknown>;

export interface Step {
  /** `put` sends the live object with `body` merged into it; `patch` is a merge patch unless `body` is a list. */
  readonly verb: 'apply' | 'create' | 'put' | 'patch' | 'strategic' | 'scale';
  readonly manager: string;
  readonly force?: boolean;
  readonly subresource?: 'status' | 'scale';
  /** Of a resource with several. */
  readonly version?: 'v1' | 'v2';
  readonly body: unknown;
}

export interface Case {
  /** Also the object's name. */
  readonly name: string;
  readonly resource: keyof typeof resources;
  readonly steps: readonly Step[];
}

export interface Answer {
  readonly status: number;
  readonly body: Json;
  /** The live object afterwards, when the answer is not it. */
  readonly live?: Json;
}

export interface Recording extends Case {
  readonly answers: readonly Answer[];
}

/** What the cases write to. */
export const resources = {
  gadgets: {
    apiVersion: 'recorded.example.com/v1',
    kind: 'Gadget',
    path: 'apis/recorded.example.com/v1',
    status: true,
  },
  gizmos: { apiVersion: 'recorded.example.com/v1', kind: 'Gizmo', path: 'apis/recorded.example.com/v1', status: false },
  configmaps: { apiVersion: 'v1', kind: 'ConfigMap', path: 'api/v1', status: false },
  pods: { apiVersion: 'v1', kind: 'Pod', path: 'api/v1', status: true },
  services: { apiVersion: 'v1', kind: 'Service', path: 'api/v1', status: true },
  deployments: { apiVersion: 'apps/v1', kind: 'Deployment', path: 'apis/apps/v1', status: true },
} as const;

export const namespace = 'recorded';

export interface Server {
  request(method: string, path: string, contentType: string, body?: unknown): Promise<Answer>;
}

/** Runs a case on a server, which must have the namespace, the CRD and no object of that name. */
export async function record(server: Server, { name, resource, steps }: Case): Promise<readonly Answer[]> {
  const { path, kind } = resources[resource];
  const answers: Answer[] = [];
  let live: Json | undefined;
  for (const { verb, manager, force, subresource, version = 'v1', body } of steps) {
    const apiVersion = inVersion(resources[resource].apiVersion, version);
    const collection = `/${inVersion(path, version)}/namespaces/${namespace}/${resource}`;
    const query = `?fieldManager=${manager}${force ? '&force=true' : ''}`;
    const target = `${collection}/${name}${subresource ? `/${subresource}` : ''}${query}`;
    const named = (object: unknown) => withName(object as Json, apiVersion, kind, name);
    let answer: Answer;
    if (verb === 'create') {
      answer = await server.request('POST', `${collection}${query}`, 'application/json', named(body));
    } else if (verb === 'put') {
      answer = await server.request('PUT', target, 'application/json', applyMergePatch({ ...live, apiVersion }, body));
    } else {
      const isFull = verb === 'apply' && subresource !== 'scale';
      answer = await server.request('PATCH', target, contentTypeOf(verb, body), isFull ? named(body) : body);
    }
    if (answer.status < 300 && subresource !== 'scale') live = answer.body;
    else if (answer.status < 300)
      live = (await server.request('GET', `${collection}/${name}`, 'application/json')).body;
    answers.push(subresource === 'scale' && live ? { ...answer, live } : answer);
  }
  return answers.map(withoutNoise);
}

/** The cases' resources have no other versions than these. */
export function inVersion(apiVersion: string, version: 'v1' | 'v2'): string {
  return apiVersion.replace(/v1$/, version);
}

/** The body of a create or apply, with what a case need not say; null there means to leave it out. */
export function withName({ metadata, ...body }: Json, apiVersion: string, kind: string, name: string): Json {
  const object = { apiVersion, kind, ...body, metadata: { name, ...(metadata as Json | undefined) } };
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}

function contentTypeOf(verb: Step['verb'], body: unknown): string {
  if (verb === 'apply') return 'application/apply-patch+yaml';
  if (verb === 'strategic') return 'application/strategic-merge-patch+json';
  return Array.isArray(body) ? 'application/json-patch+json' : 'application/merge-patch+json';
}

function withoutNoise({ status, body, live }: Answer): Answer {
  return { status, body: quiet(body), ...(live && { live: quiet(live) }) };
}

function quiet(body: Json): Json {
  const text = JSON.stringify(body);
  return JSON.parse(
    text
      .replaceAll(/"uid":"[0-9a-f-]{36}"/g, '"uid":"00000000-0000-0000-0000-000000000000"')
      .replaceAll(/"resourceVersion":"\d+"/g, '"resourceVersion":"1"')
      .replaceAll(/"clusterIPs?":(?:"[0-9.]+"|\["[0-9.]+"\])/g, (match) => match.replaceAll(/[0-9.]{7,}/g, '10.0.0.1')),
  ) as Json;
}

/** The managedFields that a writer sent: those of the live object with its change applied. */
export function sentManagedFields(step: Step, live: Json | undefined): unknown {
  const body = step.verb === 'create' ? step.body : patched(step, live);
  return ((body as Json).metadata as Json | undefined)?.managedFields;
}

function patched({ verb, body }: Step, live: Json | undefined): unknown {
  if (verb === 'patch' && Array.isArray(body)) return applyJsonPatch(live, body);
  return applyMergePatch(live, body);
}
