/** The metric of a webhook server's certificate, read when it is asked for. */
import type { Clock } from '@keelson/core';
import type { Registry } from 'prom-client';
import type { CertificateHealth } from '../certificates/serving-certificates.ts';
import { promClient } from '../late-modules.ts';

/** Without a valid certificate, there is no time left. */
export function observeCertificate(registry: Registry, clock: Clock, health: () => CertificateHealth): void {
  const { Gauge } = promClient();
  new Gauge({
    name: 'keelson_webhook_certificate_remaining_seconds',
    help: 'How long what webhooks are served with is still valid; 86400 are a day',
    registers: [registry],
    collect() {
      const now = clock.now();
      this.set(Math.max(0, (health().expiresAt ?? now) - now) / 1000);
    },
  });
}
