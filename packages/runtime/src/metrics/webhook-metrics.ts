/** Metrics of webhooks under controller-runtime's names; `webhook` is the path. */
import { type Clock, conversionPath } from '@keelson/core';
import type { Registry } from 'prom-client';
import { promClient } from '../late-modules.ts';

/** What the webhooks of a process count. */
export interface WebhookMetrics {
  /** A path that will be called: its counters begin at zero. */
  expect(path: string): void;
  /** A call began; call what is returned with the code of its answer. */
  begin(path: string): (code: number) => void;
  /** The author's code failed. */
  panicked(path: string): void;
}

export function webhookMetrics(registry: Registry, clock: Clock): WebhookMetrics {
  const { Counter, Gauge, Histogram } = promClient();
  const registers = [registry];
  const latency = new Histogram({
    name: 'controller_runtime_webhook_latency_seconds',
    help: 'How long an answer took',
    labelNames: ['webhook'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30],
    registers,
  });
  const requests = new Counter({
    name: 'controller_runtime_webhook_requests_total',
    help: 'Calls by the HTTP code of their answer',
    labelNames: ['webhook', 'code'],
    registers,
  });
  const inFlight = new Gauge({
    name: 'controller_runtime_webhook_requests_in_flight',
    help: 'Calls that are being answered',
    labelNames: ['webhook'],
    registers,
  });
  const panics = new Counter({
    name: 'controller_runtime_webhook_panics_total',
    help: 'Calls in which the code of a webhook failed',
    registers,
  });
  const conversionPanics = new Counter({
    name: 'controller_runtime_conversion_webhook_panics_total',
    help: 'Calls in which the code of a conversion failed',
    registers,
  });
  return {
    expect(webhook) {
      // A counter that appears with its first error hides that error from rate().
      for (const code of ['200', '500']) requests.inc({ webhook, code }, 0);
      inFlight.set({ webhook }, 0);
    },
    begin(webhook) {
      const begun = clock.monotonic();
      inFlight.inc({ webhook });
      return (code) => {
        inFlight.dec({ webhook });
        latency.observe({ webhook }, (clock.monotonic() - begun) / 1000);
        requests.inc({ webhook, code: String(code) });
      };
    },
    panicked: (path) => (path === conversionPath ? conversionPanics : panics).inc(),
  };
}
