/** Ten kills of the leader on real Kubernetes with real pods: one Job for each Echo. */
import { test } from 'node:test';
import { connect, loadConfig } from '@keelson/client';
import { availability, startKubernetes } from '@keelson/tools-kubernetes';
import { killLeaders } from '../leader-kills.ts';
import { install } from '../replicas.ts';

const found = await availability({ pods: true });

test('the leader is killed at ten random moments, and each Echo has one Job', {
  skip: found.available ? false : found.reason,
}, async () => {
  await using kube = await startKubernetes({ pods: true, auditLog: true });
  await using transport = connect(await loadConfig({ kubeconfig: kube.kubeconfig }));
  await killLeaders({ kube, transport, kubeconfig: await install(kube), kills: 10, echosEach: 5 });
});
