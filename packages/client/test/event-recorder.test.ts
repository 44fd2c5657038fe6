import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import type { Transport } from '@keelson/core';
import { connect, createClient, createEventRecorder, type EventRecorderOptions, type NewEvent } from '../src/index.ts';
import { heapAfterCollection } from './heap.ts';
import { ManualClock, settled, steadyRandom } from './manual-clock.ts';
import { failure } from './scripted-collection.ts';
import { configFor, type Script, sendJson, startServer } from './scripted-server.ts';
import { until } from './until.ts';

const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web-0', namespace: 'x', uid: 'u1' } };
const scaled: NewEvent = { type: 'Normal', reason: 'ScaledUp', action: 'Scale', message: 'from 1 to 3' };

/** A patch says no name, and an object without one is nothing that a server answers. */
const accept: Script = ({ body }, response) => sendJson(response, { metadata: { name: 'e' }, ...JSON.parse(body) });

async function recording(script: Script = accept, options: Partial<EventRecorderOptions> = {}) {
  const server = await startServer(script);
  const transport = connect(configFor(server.url));
  const given = recordingTo(transport, options);
  return {
    ...given,
    server,
    sent: () => server.requests.map(({ method, path, body }) => ({ method, path, body: JSON.parse(body) })),
    async [Symbol.asyncDispose]() {
      await transport[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Accepts thousands of events without a socket, the first of them when `first` lets it. */
function recordingMany(first?: Promise<void>) {
  const sent: { readonly method: string; readonly path: string; readonly body: { series?: { count: number } } }[] = [];
  const transport: Transport = {
    async request({ method, path, body: text }) {
      const body = JSON.parse(String(text));
      if (sent.push({ method, path, body }) === 1) await first;
      const answer = Buffer.from(JSON.stringify({ metadata: { name: 'e' }, ...body }));
      const headers = { 'content-type': 'application/json' };
      return { status: 200, headers, body: Readable.from([answer]) };
    },
    async [Symbol.asyncDispose]() {},
  };
  return { ...recordingTo(transport, { maxPending: 5000 }), sent };
}

function recordingTo(transport: Transport, options: Partial<EventRecorderOptions>) {
  const clock = new ManualClock();
  const random = steadyRandom(0.5);
  const errors: string[] = [];
  const client = createClient({ transport, clock, random });
  const recorder = createEventRecorder({
    client,
    controller: 'test-operator',
    instance: 'test-operator-0',
    clock,
    random,
    onError: (error) => errors.push(error.message),
    ...options,
  });
  return { recorder, clock, errors };
}

describe('a recorded event', () => {
  test('is created beside its object', async () => {
    await using given = await recording();
    given.recorder.event(pod, scaled);
    assert.equal(given.server.requests.length, 0, 'recording itself does no I/O');
    await given.recorder.flush();
    assert.deepEqual(given.sent(), [
      {
        method: 'POST',
        path: '/apis/events.k8s.io/v1/namespaces/x/events',
        body: {
          apiVersion: 'events.k8s.io/v1',
          kind: 'Event',
          metadata: { name: 'web-0.0000000000004000', namespace: 'x' },
          eventTime: '2026-01-01T00:00:00.000000Z',
          type: 'Normal',
          reason: 'ScaledUp',
          action: 'Scale',
          note: 'from 1 to 3',
          regarding: { apiVersion: 'v1', kind: 'Pod', name: 'web-0', namespace: 'x', uid: 'u1' },
          reportingController: 'test-operator',
          reportingInstance: 'test-operator-0',
        },
      },
    ]);
  });

  test('that repeats becomes a series, whose count is written now and then', async () => {
    await using given = await recording();
    const { recorder, clock } = given;
    recorder.event(pod, scaled);
    await recorder.flush();
    await clock.advance(1000);
    for (let i = 0; i < 4; i++) recorder.event(pod, scaled);
    await recorder.flush();
    assert.equal(given.sent().length, 1, 'too soon after the last write');
    await clock.advance(29_000);
    await recorder.flush();
    assert.deepEqual(given.sent()[1], {
      method: 'PATCH',
      path: '/apis/events.k8s.io/v1/namespaces/x/events/web-0.0000000000004000',
      body: { series: { count: 5, lastObservedTime: '2026-01-01T00:00:01.000000Z' } },
    });
    await clock.advance(60_000);
    recorder.event(pod, scaled);
    await recorder.flush();
    assert.equal(given.sent()[2]?.body.series.count, 6);
  });

  test('that repeats before it is sent is created as a series', async () => {
    await using given = await recording();
    given.recorder.event(pod, scaled);
    given.recorder.event(pod, scaled);
    await given.recorder.flush();
    assert.deepEqual(
      given.sent().map(({ method, body }) => [method, body.series?.count]),
      [['POST', 2]],
    );
  });

  test('is another one when it says something else, or after six quiet minutes', async () => {
    await using given = await recording();
    const { recorder, clock } = given;
    recorder.event(pod, scaled);
    recorder.event(pod, { ...scaled, message: 'from 3 to 5' });
    recorder.event({ ...pod, metadata: { ...pod.metadata, uid: 'u2' } }, scaled);
    await recorder.flush();
    await clock.advance(360_000);
    recorder.event(pod, scaled);
    await recorder.flush();
    assert.deepEqual(
      given.sent().map(({ method }) => method),
      ['POST', 'POST', 'POST', 'POST'],
    );
  });

  test('whose object the server has forgotten is created anew', async () => {
    await using given = await recording(({ method, body }, response) => {
      if (method === 'PATCH') sendJson(response, failure(404, 'NotFound', 'gone'), 404);
      else accept({ body } as never, response);
    });
    const { recorder, clock } = given;
    recorder.event(pod, scaled);
    await recorder.flush();
    await clock.advance(60_000);
    recorder.event(pod, scaled);
    await recorder.flush();
    assert.deepEqual(
      given.sent().map(({ method, body }) => [method, body.series?.count]),
      [
        ['POST', undefined],
        ['PATCH', 2],
        ['POST', 2],
      ],
    );
    assert.deepEqual(given.errors, []);
  });
});

describe('a recorder', () => {
  test('tries again while the server is away, and takes an event that is there already for sent', async () => {
    let calls = 0;
    await using given = await recording(({ incoming, body }, response) => {
      calls += 1;
      if (calls === 1) incoming.socket.resetAndDestroy();
      else if (calls === 2) sendJson(response, failure(500, 'InternalError', 'no'), 500);
      else if (calls === 3) sendJson(response, failure(409, 'AlreadyExists', 'there'), 409);
      else accept({ body } as never, response);
    });
    const { recorder, clock } = given;
    recorder.event(pod, scaled);
    for (let tries = 1; tries <= 2; tries++) {
      await until(() => calls === tries && clock.nextInMs === 10_000);
      await clock.advance(10_000);
    }
    await recorder.flush();
    assert.equal(calls, 3);
    assert.deepEqual(given.errors, []);
  });

  test('lets nobody wait for an event that fails, which it gives up after twelve tries', async () => {
    await using given = await recording(({ body }, response) =>
      body.includes('poison')
        ? sendJson(response, failure(500, 'InternalError', 'no'), 500)
        : accept({ body } as never, response),
    );
    const { recorder, clock, errors } = given;
    const notes = () => given.sent().map(({ body }) => body.note ?? body.series.count);
    recorder.event(pod, { ...scaled, reason: 'Bad', message: 'poison' });
    const first = recorder.flush();
    recorder.event(pod, { ...scaled, message: 'one' });
    recorder.event(pod, { ...scaled, message: 'two' });
    await until(() => notes().length === 3 && clock.nextInMs === 10_000);
    recorder.event(pod, { ...scaled, reason: 'Bad', message: 'poison' });
    recorder.event(pod, { ...scaled, message: 'three' });
    await until(() => notes().length === 4);
    assert.deepEqual(notes(), ['poison', 'one', 'two', 'three'], 'what failed rests');
    for (let tries = 2; tries <= 12; tries++) {
      assert.deepEqual(errors, []);
      await clock.advance(10_000);
      await until(() => notes().length === 3 + tries && (clock.nextInMs === 10_000 || errors.length === 1));
    }
    await first;
    assert.match(errors.join(), /^event Bad for Pod web-0 was not recorded: .*no$/);
    assert.deepEqual([clock.timers, given.sent().at(-1)?.body.series.count], [0, 2]);
  });

  test('counts events that rest after a failure among those that wait', async () => {
    await using given = await recording(
      (_request, response) => sendJson(response, failure(500, 'InternalError', 'no'), 500),
      { maxPending: 3 },
    );
    const { recorder, server, errors } = given;
    let said = 0;
    await until(() => {
      recorder.event({ ...pod, metadata: { ...pod.metadata, uid: `u${said++}` } }, scaled);
      return errors.length > 0;
    });
    assert.deepEqual(errors, ['event ScaledUp for Pod web-0 was not recorded: 3 others wait to be sent']);
    assert.ok(server.requests.length <= 4, 'one more than wait can be under way');
  });

  test('tries what failed once more when it is disposed, after everything else', async () => {
    await using given = await recording(({ body }, response) =>
      body.includes('poison')
        ? sendJson(response, failure(500, 'InternalError', 'no'), 500)
        : accept({ body } as never, response),
    );
    const { recorder, clock, errors } = given;
    recorder.event(pod, { ...scaled, message: 'poison' });
    await until(() => clock.nextInMs === 10_000);
    recorder.event(pod, { ...scaled, message: 'last words' });
    await recorder[Symbol.asyncDispose]();
    assert.deepEqual(
      given.sent().map(({ body }) => body.note),
      ['poison', 'last words', 'poison'],
    );
    assert.deepEqual([errors.length, clock.timers], [1, 0]);
  });

  test('is flushed when that is sent which waited, whatever came since', async () => {
    const held: (() => void)[] = [];
    await using given = await recording(({ body }, response) => held.push(() => accept({ body } as never, response)));
    const say = (message: string) => given.recorder.event(pod, { ...scaled, message });
    const answer = async () => {
      await until(() => held.length === 1);
      held.shift()?.();
    };
    say('one');
    say('two');
    let isFlushed = false;
    const flushed = given.recorder.flush().then(() => {
      isFlushed = true;
    });
    say('three');
    await answer();
    await until(() => held.length === 1);
    assert.equal(isFlushed, false);
    await answer();
    await flushed;
    await answer();
    await given.recorder.flush();
    assert.equal(given.sent().length, 3);
  });

  test('writes the last count of a series that it has to forget', async () => {
    const { recorder, clock, sent } = recordingMany();
    recorder.event(pod, scaled);
    await recorder.flush();
    for (let i = 0; i < 3; i++) recorder.event(pod, scaled);
    for (let i = 0; i < 4096; i++) {
      recorder.event({ ...pod, metadata: { ...pod.metadata, name: `p-${i}`, uid: `p-${i}` } }, scaled);
    }
    await recorder.flush();
    const counts = sent.filter(({ method }) => method === 'PATCH');
    assert.deepEqual(
      counts.map(({ path, body }) => [path.split('/').at(-1), body.series?.count]),
      [['web-0.0000000000004000', 4]],
    );
    assert.equal(clock.timers, 0);
  });

  test('writes the last count of a series that it has to forget while it sends it', async () => {
    const held = Promise.withResolvers<void>();
    const { recorder, clock, sent } = recordingMany(held.promise);
    recorder.event(pod, scaled);
    await until(() => sent.length === 1);
    recorder.event(pod, scaled);
    for (let i = 0; i < 4096; i++) {
      recorder.event({ ...pod, metadata: { ...pod.metadata, name: `p-${i}`, uid: `p-${i}` } }, scaled);
    }
    held.resolve();
    await recorder.flush();
    assert.deepEqual(
      sent.slice(0, 2).map(({ method, body }) => [method, body.series?.count]),
      [
        ['POST', undefined],
        ['PATCH', 2],
      ],
    );
    assert.equal(clock.timers, 0);
  });

  test('holds nothing of what is long over', async () => {
    const { recorder, clock, sent } = recordingMany();
    const sayOf = async (first: number, count: number) => {
      for (let i = first; i < first + count; i++) {
        const name = `p-${i}`;
        const message = name.padEnd(500, '.');
        recorder.event({ ...pod, metadata: { ...pod.metadata, name, uid: name } }, { ...scaled, message });
      }
      await recorder.flush();
      sent.length = 0;
      return heapAfterCollection();
    };
    await sayOf(0, 200); // so that what stays by itself, such as compiled code, is there
    await clock.advance(600_001);
    const before = await sayOf(200, 1);
    const full = await sayOf(201, 4000);
    await clock.advance(600_001);
    const after = await sayOf(4201, 1);
    assert.ok(full - before > 8_000_000 && after - before < 300_000, `${before}, ${full} and then ${after} bytes`);
  });

  test('gives up what the server refuses, and says so, once', async () => {
    await using given = await recording((_request, response) =>
      sendJson(response, failure(403, 'Forbidden', 'not allowed'), 403),
    );
    given.recorder.event(pod, scaled);
    await given.recorder.flush();
    assert.deepEqual(given.errors, [
      'event ScaledUp for Pod web-0 was not recorded: create events.events.k8s.io x/web-0.0000000000004000: not allowed',
    ]);
  });

  test('says nothing about a namespace that is going away', async () => {
    const causes = [{ reason: 'NamespaceTerminating' }];
    await using given = await recording((_request, response) =>
      sendJson(response, failure(403, 'Forbidden', 'no', causes), 403),
    );
    given.recorder.event(pod, scaled);
    await given.recorder.flush();
    assert.deepEqual(given.errors, []);
  });

  test('never holds more than its limit, whatever the server does', async () => {
    await using given = await recording(() => {}, { maxPending: 3 });
    const podNumber = (i: number) => ({ ...pod, metadata: { ...pod.metadata, uid: `u${i}` } });
    given.recorder.event(podNumber(0), scaled);
    await until(() => given.server.requests.length === 1);
    for (let i = 1; i <= 5; i++) given.recorder.event(podNumber(i), scaled);
    assert.deepEqual(given.errors, [
      'event ScaledUp for Pod web-0 was not recorded: 3 others wait to be sent',
      'event ScaledUp for Pod web-0 was not recorded: 3 others wait to be sent',
    ]);
  });

  test('combines what differs in its message alone, from the tenth message on', async () => {
    await using given = await recording();
    const say = async (from: number, to: number, more: Partial<NewEvent> = {}) => {
      for (let i = from; i <= to; i++) given.recorder.event(pod, { ...scaled, message: `try ${i}`, ...more });
      await given.recorder.flush();
    };
    await say(1, 9);
    assert.deepEqual(
      given.sent().map(({ body }) => body.note),
      Array.from({ length: 9 }, (_, i) => `try ${i + 1}`),
    );
    await say(10, 500);
    const [combined, ...more] = given.sent().slice(9);
    assert.deepEqual(more, []);
    assert.deepEqual(
      [combined?.body.note, combined?.body.series.count],
      ['(combined from similar events): try 10', 491],
    );
    await say(3, 3);
    await say(1, 1, { reason: 'Other' });
    assert.deepEqual(
      given
        .sent()
        .slice(10)
        .map(({ body }) => [body.reason, body.note]),
      [['Other', 'try 1']],
      'a known message is a repetition, another reason another event',
    );
    await given.clock.advance(30_000); // the count of the repetition is written now
    await given.recorder.flush();
    await given.clock.advance(600_001);
    await say(500, 500);
    assert.equal(given.sent().at(-1)?.body.note, 'try 500', 'after ten quiet minutes it begins anew');
    assert.deepEqual(given.errors, []);
  });

  test('lets one object cause 25 different events, and then one in five minutes', async () => {
    await using given = await recording();
    const say = async (from: number, to: number) => {
      for (let i = from; i < to; i++) given.recorder.event(pod, { ...scaled, reason: `Reason${i}` });
      await given.recorder.flush();
    };
    await say(0, 40);
    assert.equal(given.sent().length, 25);
    await given.clock.advance(300_000);
    await say(40, 42);
    assert.equal(given.sent().length, 26);
    given.recorder.event({ ...pod, metadata: { ...pod.metadata, name: 'web-1', uid: 'u2' } }, scaled);
    await given.recorder.flush();
    assert.equal(given.sent().length, 27);
    assert.deepEqual(given.errors, []);
  });

  test('sends what it has when it is disposed, counts included, and nothing after that', async () => {
    await using given = await recording();
    const { recorder, clock } = given;
    recorder.event(pod, scaled);
    await recorder.flush();
    recorder.event(pod, scaled);
    recorder.event(pod, { ...scaled, message: 'last words' });
    await recorder[Symbol.asyncDispose]();
    assert.deepEqual(
      given.sent().map(({ method, body }) => [method, body.note ?? body.series.count]),
      [
        ['POST', 'from 1 to 3'],
        ['POST', 'last words'],
        ['PATCH', 2],
      ],
    );
    recorder.event(pod, scaled);
    assert.match(given.errors[0] ?? '', /was not recorded: the recorder is closed$/);
    assert.equal(clock.timers, 0);
  });

  test('is gone in five seconds, although the server does not answer', async () => {
    await using given = await recording(() => {});
    const { recorder, clock } = given;
    recorder.event(pod, scaled);
    await until(() => given.server.requests.length === 1);
    const gone = recorder[Symbol.asyncDispose]();
    await settled();
    await clock.advance(5000);
    await gone;
    assert.match(given.errors[0] ?? '', /was not recorded: the recorder is closed$/);
  });

  test('does not throw, whatever it is given', async () => {
    await using given = await recording();
    for (const [regarding, event] of [
      [{}, scaled],
      [pod, {}],
      [undefined, undefined],
      [null, scaled],
      [pod, { ...scaled, message: 5 }],
    ])
      given.recorder.event(regarding as never, event as never);
    await given.recorder.flush();
    assert.equal(given.errors.length, 5);
  });

  test('does not throw, and goes on, when nobody can hear its complaints', async () => {
    let refusals = 1;
    await using given = await recording(
      ({ body }, response) =>
        refusals-- > 0 ? sendJson(response, failure(403, 'Forbidden', 'no'), 403) : accept({ body } as never, response),
      {
        onError: () => {
          throw new Error('deaf');
        },
      },
    );
    given.recorder.event(undefined as never, scaled);
    given.recorder.event(pod, scaled);
    await given.recorder.flush();
    given.recorder.event(pod, { ...scaled, message: 'again' });
    await given.recorder.flush();
    assert.equal(given.sent().length, 2);
  });

  test('goes on when whoever hears its complaints fails later', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', note);
    await using given = await recording(accept, {
      onError: (() => Promise.reject(new Error('deaf'))) as () => void,
    });
    given.recorder.event(undefined as never, scaled);
    given.recorder.event(pod, scaled);
    await given.recorder.flush();
    process.off('unhandledRejection', note);
    assert.deepEqual([unhandled, given.sent().length], [[], 1]);
  });

  test('holds on to no object and no long text', async () => {
    await using given = await recording();
    let collected = 0;
    const registry = new FinalizationRegistry(() => {
      collected += 1;
    });
    const record = () => {
      for (let i = 0; i < 20; i++) {
        const large = { ...pod, metadata: { ...pod.metadata, name: `p-${i}`, uid: `u${i}` }, spec: { bulk: [i] } };
        registry.register(large, undefined);
        given.recorder.event(large, { ...scaled, message: 'x'.repeat(100_000) });
      }
    };
    record();
    await given.recorder.flush();
    assert.equal(given.sent()[0]?.body.note.length, 1022, 'cut at 1024 bytes');
    await until(() => {
      heapAfterCollection();
      return collected === 20;
    });
  });
});
