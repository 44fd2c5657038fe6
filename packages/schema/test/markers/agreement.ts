/**
 * Whether local validation and a real API server agree: both judge random objects of every marked kind.
 *
 * They agree when they accept the same objects and make the same of them, and refuse the others for the same reasons.
 */
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { deadline, sleep } from '@keelson/core';
import type { NewCustomResourceDefinition } from '@keelson/core/apiextensions/v1';
import { systemClock } from '@keelson/core/system';
import { crdOf } from '@keelson/schema';
import { compileStructural } from '@keelson/schema/validation';
import * as fc from 'fast-check';
import { localAnswer } from '../recorded/local-answer.ts';
import { answerOf, type Server } from '../recorded/real-server.ts';
import type { Answer } from '../recorded/recording.ts';
import type { MarkedKind } from './marked-kind.ts';
import { markedKinds } from './marked-kinds.ts';
import { randomObject } from './random-object.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

interface Installed {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly versions: NewCustomResourceDefinition['spec']['versions'] };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** The CRDs of all marked kinds, created at once, as the server has them when all are established. */
export async function installMarkedKinds(server: Server): Promise<readonly Installed[]> {
  const crds = markedKinds.map(({ kind }) => crdOf(kind));
  await inParallel(crds, async (crd) => {
    const { status, body, warnings } = await server.request('POST', definitions, crd);
    assert.deepEqual({ status, warnings }, { status: 201, warnings: [] }, JSON.stringify(body));
  });
  using limit = deadline(systemClock, 300_000, 'all definitions to be established and served');
  const until = async <T>(look: () => Promise<T | undefined>): Promise<T> => {
    for (;;) {
      const seen = await look();
      if (seen !== undefined) return seen;
      limit.signal.throwIfAborted();
      await sleep(systemClock, 100);
    }
  };
  const installed = await until(async () => {
    const { items } = (await server.request('GET', definitions)).body as { readonly items: readonly Installed[] };
    return items.length === crds.length && items.every((each) => holding(each).includes('Established'))
      ? items
      : undefined;
  });
  await inParallel(crds, async ({ spec: { group, names, versions } }) => {
    const [version] = versions.filter(({ served }) => served);
    const path = `/apis/${group}/${version?.name}/${names.plural}`;
    await until(async () => ((await server.request('GET', path)).status === 200 ? true : undefined));
  });
  return installed;
}

/** The conditions that hold of a definition, sorted. */
export function holding({ status }: Installed): readonly string[] {
  const conditions = status?.conditions ?? [];
  return conditions
    .filter((each) => each.status === 'True')
    .map(({ type }) => type)
    .sort();
}

interface Tally {
  accepted: number;
  refused: number;
  readonly disagreements: unknown[];
}

/** Judges `each` random objects of every served version of every marked kind, here and there. */
export async function compareAnswers(server: Server, each: number, seed: number): Promise<Tally> {
  const tally: Tally = { accepted: 0, refused: 0, disagreements: [] };
  const cases = markedKinds.flatMap(({ what, kind }) => casesOf(what, kind, each, seed));
  await inParallel(cases, async ({ what, path, kind, object, here }) => {
    const there = withoutScale(answerOf(await server.request('POST', path, object), kind));
    if (there.status === 201) tally.accepted += 1;
    else tally.refused += 1;
    if (!isDeepStrictEqual(here, there)) tally.disagreements.push({ what, object, here, there });
  });
  return tally;
}

/** The scale subresource has a check of its own, outside of the schema, whose causes name a path: `.spec.size`. */
function withoutScale(answer: Answer): Answer {
  const { causes } = answer;
  return causes === undefined ? answer : { ...answer, causes: causes.filter(({ field }) => !field.startsWith('.')) };
}

function casesOf(what: string, { definition }: MarkedKind['kind'], each: number, seed: number) {
  const { group, names, scope, versions } = crdOf({ definition }).spec;
  return versions
    .filter(({ served }) => served)
    .flatMap(({ name: version, schema, subresources, deprecationWarning }) => {
      const root = schema?.openAPIV3Schema ?? {};
      const compiled = compileStructural(root);
      const folder = scope === 'Namespaced' ? 'namespaces/default/' : '';
      return fc.sample(randomObject(root), { numRuns: each, seed }).map(({ status, ...fields }, i) => {
        const object = {
          apiVersion: `${group}/${version}`,
          kind: names.kind,
          metadata: { name: `case-${i}` },
          ...fields,
          // With a subresource, the server forgets the status of a new object.
          ...(subresources?.status === undefined && status !== undefined && { status }),
        };
        const { warnings, ...answer } = localAnswer(compiled, object);
        const told = warnings && { warnings: [...warnings, deprecationWarning ?? []].flat() };
        return {
          what,
          path: `/apis/${group}/${version}/${folder}${names.plural}?dryRun=All&fieldValidation=Warn`,
          kind: names.kind,
          object,
          here: { ...answer, ...told },
        };
      });
    });
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}
