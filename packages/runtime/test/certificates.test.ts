/** Certificates of webhooks that look after themselves: agreement, renewal, and everything that can go wrong with both. */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { minute, startReplicas } from './certificate-replicas.ts';

test('two replicas that start at the same moment agree on one authority, which both configurations then trust', async () => {
  await using replicas = await startReplicas({ replicas: 2 });
  await replicas.cluster.clock.advance(2000);
  const [one, other] = [0, 1].map((index) => replicas.certificates(index).current);
  assert.ok(one !== undefined);
  assert.deepEqual(one, other);
  const trusted = await replicas.trusted();
  assert.equal(trusted.length, 2);
  for (const names of trusted) assert.deepEqual(names, [new X509Certificate(one.certificate).issuer]);
  const { problem, remarks } = replicas.certificates(1).health;
  assert.deepEqual({ problem, remarks }, { problem: undefined, remarks: [] });
});

test('authority and certificate change again and again, and no call of a slow API server ever fails', async () => {
  await using replicas = await startReplicas({ replicas: 2 });
  await replicas.cluster.clock.advance(2000);
  const seen = new Set<string>();
  for (let passed = 0; passed < 75 * minute; passed += 10 * minute) {
    await replicas.verified(10 * minute);
    seen.add(new X509Certificate(replicas.certificates(0).current?.certificate ?? '').issuer);
  }
  assert.ok(seen.size >= 3, `three authorities, not ${seen.size}`);
  assert.ok(
    (await replicas.trusted()).every((names) => names.length <= 2),
    'those that have ended are gone',
  );
  assert.deepEqual(replicas.warnings, []);
});
