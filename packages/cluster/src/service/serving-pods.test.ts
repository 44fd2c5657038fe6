import assert from 'node:assert/strict';
import { test } from 'node:test';
import { server, service } from '../../test/services.ts';
import { hasAddress, hostnameIn, isHeadless, isMoved, isServed, portOn, selects } from './serving-pods.ts';
import { TriggerTimes } from './trigger-times.ts';

const going = { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } };

test('a service with a selector is served by the pods that it selects', () => {
  assert.ok(isServed(service()));
  assert.ok(!isServed(service({ selector: undefined })));
  assert.ok(!isServed(service({ type: 'ExternalName' })));
  assert.ok(selects(service(), server(1)));
  assert.ok(!selects(service({ selector: { app: 'web', tier: 'x' } }), server(1)));
  assert.ok(!selects(service({}, { namespace: 'other' }), server(1)));
  assert.deepEqual(
    [undefined, 'None', '10.96.0.1'].map((clusterIP) => isHeadless(service({ clusterIP }))),
    [true, true, false],
  );
});

test('a pod is found at its address, under its name and on its port', () => {
  assert.ok(hasAddress(server(1)));
  assert.ok(!hasAddress(server(1, { status: { podIP: undefined, podIPs: [] } })));
  assert.ok(!hasAddress(server(1, { status: { phase: 'Failed' } })));
  const named = server(1, { spec: { hostname: 'first', subdomain: 'web' } });
  assert.equal(hostnameIn(named, service()), 'first');
  assert.equal(hostnameIn(named, service({}, { name: 'other' })), undefined);
  assert.equal(portOn(server(1), { port: 80, targetPort: 'web', protocol: 'TCP' }), 8080);
  assert.equal(portOn(server(1), { port: 80, targetPort: 'web', protocol: 'UDP' }), undefined);
  assert.equal(portOn(server(1), { port: 80, targetPort: 9090 }), 9090);
  const ports = [{ name: 'side', containerPort: 7, protocol: 'TCP' as const }];
  const sidecar = { name: 's', image: 's', ports, restartPolicy: 'Always' };
  const helped = server(1, { spec: { initContainers: [sidecar] } });
  assert.equal(portOn(helped, { port: 80, targetPort: 'side' }), 7);
});

test('only some changes of a pod concern its services', () => {
  const before = server(1);
  assert.ok(!isMoved(before, server(1, { metadata: { annotations: { note: 'x' } } })));
  assert.ok(isMoved(before, server(1, going)));
  assert.ok(isMoved(before, server(1, { metadata: { labels: { app: 'other' } } })));
  assert.ok(isMoved(before, server(1, { status: { conditions: [] } })));
  assert.ok(isMoved(before, server(1, { status: { podIPs: [{ ip: '10.244.0.9' }] } })));
});

test('a change is timed by what is new since the last one', () => {
  const times = new TriggerTimes();
  const at = (time: string) =>
    server(1, { status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: time }] } });
  assert.equal(times.next('default/web', service(), [at('2026-01-01T00:00:05Z')]), '2026-01-01T00:00:00Z');
  assert.equal(times.next('default/web', service(), [at('2026-01-01T00:00:05Z')]), undefined);
  assert.equal(times.next('default/web', service(), [at('2026-01-01T00:00:07Z')]), '2026-01-01T00:00:07Z');
  times.forget('default/web');
  assert.equal(times.next('default/web', service(), []), '2026-01-01T00:00:00Z');
});
