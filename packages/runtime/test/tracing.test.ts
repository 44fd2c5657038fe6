/** Spans of passes, by a tracer that keeps the active span as OpenTelemetry does. */
import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { test } from 'node:test';
import { operator, type Transport } from '@keelson/core';
import { ConfigMap } from '@keelson/core/v1';
import { startCluster } from '@keelson/testing';
import { type Attribute, controller, createManager, done, type Span, type Tracer } from '../src/index.ts';
import { inTime, newWidget, rememberingLogger, Widget } from './widget.ts';

interface Recorded {
  readonly name: string;
  readonly attributes: Record<string, Attribute>;
  status?: string | undefined;
  isEnded: boolean;
}

function recordingTracer() {
  const spans: Recorded[] = [];
  const active = new AsyncLocalStorage<Recorded>();
  const tracer: Tracer = {
    startActiveSpan(name, { attributes }, run) {
      const recorded: Recorded = { name, attributes, isEnded: false };
      spans.push(recorded);
      const span: Span = {
        setAttribute: () => {},
        recordException: () => {},
        setStatus({ message }) {
          recorded.status = message;
        },
        end() {
          recorded.isEnded = true;
        },
      };
      return active.run(recorded, () => run(span));
    },
  };
  return { spans, active, tracer };
}

test(
  'each pass is a span with its causes, and so is its report; requests are made while one is active',
  inTime,
  async () => {
    await using cluster = await startCluster({ kinds: [Widget] });
    const { clock } = cluster;
    const { spans, active, tracer } = recordingTracer();
    const requests: string[] = [];
    const transport: Transport = {
      request(request) {
        if (request.headers?.traceparent !== undefined)
          requests.push(`${request.method} in ${request.headers.traceparent}`);
        return cluster.cluster.transport.request(request);
      },
      async [Symbol.asyncDispose]() {},
    };
    const copier = controller({
      for: Widget,
      owns: [ConfigMap],
      async reconcile(widget, { owned, status }) {
        if (widget.spec.text === 'bad') throw new Error('bad');
        await owned.apply(ConfigMap, { metadata: { name: widget.metadata.name } });
        status.report({ seen: 'made', conditions: [] });
        return done;
      },
    });
    const stop = new AbortController();
    const running = createManager(operator({ name: 'traced', controllers: [copier] }), {
      transport,
      clock,
      logger: rememberingLogger(),
      health: false,
      metrics: false,
      tracer,
      headers: (): Readonly<Record<string, string>> => {
        const span = active.getStore();
        return span === undefined ? {} : { traceparent: `${span.name} ${span.attributes.name}` };
      },
    }).start(stop.signal);
    await cluster.client.create(Widget, newWidget('a'));
    await clock.advance(1);
    await cluster.client.create(Widget, newWidget('b', 'bad'));
    await clock.advance(1);
    stop.abort(new Error('over'));
    await clock.advance(1000);
    await running;
    const attributes = { controller: 'widget', namespace: 'default', name: 'a', causes: ['Widget default/a added'] };
    assert.deepEqual(spans[0], { name: 'reconcile widget', attributes, isEnded: true });
    const second = spans.find((span) => span.attributes.name === 'b');
    const reported = spans.find(({ name }) => name === 'report widget');
    assert.deepEqual(reported, { name: 'report widget', attributes, isEnded: true });
    assert.deepEqual([second?.attributes.name, second?.status, second?.isEnded], ['b', 'bad', true]);
    assert.ok(requests.includes('PATCH in reconcile widget a'), requests.join());
    assert.ok(requests.includes('PATCH in report widget a'), requests.join());
    assert.ok(requests.every((line) => / in (reconcile|report) widget /.test(line)));
  },
);
