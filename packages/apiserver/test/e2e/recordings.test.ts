/**
 * The recorded writes are what a real API server answers.
 *
 * With KEELSON_RECORD=1 the recordings are made anew instead of checked; look at what changed.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { env } from 'node:process';
import { after, before, describe, test } from 'node:test';
import { availability, type Kubernetes, startKubernetes } from '@keelson/tools-kubernetes';
import { builtInCases } from '../recorded/built-in-cases.ts';
import { gadgetCases } from '../recorded/gadget-cases.ts';
import { gizmoCases } from '../recorded/gizmo-cases.ts';
import { connect, prepare } from '../recorded/real-server.ts';
import { type Answer, type Case, type Json, type Recording, record, type Server } from '../recorded/recording.ts';
import { strategicCases } from '../recorded/strategic-cases.ts';
import { readRecordings } from '../recorded/types.ts';

const files: Readonly<Record<string, readonly Case[]>> = {
  gadget: gadgetCases,
  gizmo: gizmoCases,
  'built-in': builtInCases,
  strategic: strategicCases,
};
const found = await availability();

describe('recorded writes', { skip: found.available ? false : found.reason }, () => {
  let kube: Kubernetes;
  let server: Server & Disposable;

  before(async () => {
    kube = await startKubernetes();
    server = await connect(kube);
    await prepare(kube, server);
  });
  after(async () => {
    server?.[Symbol.dispose]();
    await kube?.[Symbol.asyncDispose]();
  });

  for (const [file, cases] of Object.entries(files)) {
    test(`${file} cases are answered as recorded`, async () => {
      const recordings: Recording[] = [];
      for (const one of cases) recordings.push({ ...one, answers: await record(server, one) });
      if (env.KEELSON_RECORD === '1') {
        const lines = recordings.map((recording) => `${JSON.stringify(recording)}\n`);
        writeFileSync(new URL(`../recorded/${file}.jsonl`, import.meta.url), lines.join(''));
        return;
      }
      const recorded = readRecordings(file);
      assert.deepEqual(
        recordings.map(({ name }) => name),
        recorded.map(({ name }) => name),
      );
      for (const [index, recording] of recordings.entries()) {
        assert.deepEqual(recording.answers.map(timeless), recorded[index]?.answers.map(timeless), recording.name);
      }
    });
  }
});

/** Answers differ in their times from run to run, and with them in the order of entries; causes come in any order. */
function timeless({ status, body, live }: Answer): Answer {
  return { status, body: withoutTimes(body) as Json, ...(live && { live: withoutTimes(live) as Json }) };
}

function withoutTimes(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => withoutTimes(item));
    return name === 'managedFields' || name === 'causes' ? items.sort(byText) : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([key]) => key !== 'time' && key !== 'creationTimestamp');
  return Object.fromEntries(members.map(([key, member]) => [key, withoutTimes(member, key)]));
}

function byText(a: unknown, b: unknown): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}
