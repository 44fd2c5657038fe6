import assert from 'node:assert/strict';
import { test } from 'node:test';
import { layoutOf } from '../cluster-directory/layout.ts';
import { apiServerCommand, controllerManagerCommand, etcdCommand, schedulerCommand } from './commands.ts';

const layout = layoutOf('/cluster');
const ports = { apiServer: 1, etcd: 2, etcdPeers: 3, controllerManager: 4, scheduler: 5 };
const options = { address: '127.0.0.1', auditLog: false, flags: [] };

test('the API server has RBAC on, and owner references enforced', () => {
  const flags = apiServerCommand('kube-apiserver', layout, ports, options);
  assert.ok(flags.includes('--authorization-mode=Node,RBAC'));
  assert.ok(flags.some((flag) => /^--enable-admission-plugins=.*\bOwnerReferencesPermissionEnforcement\b/.test(flag)));
});

test('the audit log is written on request only', () => {
  const isAudit = (flag: string) => flag.startsWith('--audit');
  assert.deepEqual(apiServerCommand('kube-apiserver', layout, ports, options).filter(isAudit), []);
  assert.deepEqual(apiServerCommand('kube-apiserver', layout, ports, { ...options, auditLog: true }).filter(isAudit), [
    '--audit-log-path=/cluster/audit.log',
    '--audit-policy-file=/cluster/audit-policy.yaml',
  ]);
});

test('endpoints of the API server are published unless it is on loopback, where they are not allowed', () => {
  const reconciler = '--endpoint-reconciler-type=none';
  assert.ok(apiServerCommand('kube-apiserver', layout, ports, options).includes(reconciler));
  const onBridge = { ...options, address: '10.245.0.1' };
  assert.ok(!apiServerCommand('kube-apiserver', layout, ports, onBridge).includes(reconciler));
});

test("the caller's flags come last, where they win", () => {
  const flags = apiServerCommand('kube-apiserver', layout, ports, { ...options, flags: ['--v=4'] });
  assert.equal(flags.at(-1), '--v=4');
  const manager = controllerManagerCommand('kube-controller-manager', layout, ports, ['*'], ['--kube-api-qps=2000']);
  assert.equal(manager.at(-1), '--kube-api-qps=2000');
});

test('the controllers are chosen on request only', () => {
  const chosen = (controllers: readonly string[] | undefined) =>
    controllerManagerCommand('kube-controller-manager', layout, ports, controllers).filter((flag) =>
      flag.startsWith('--controllers'),
    );
  assert.deepEqual(chosen(undefined), []);
  assert.deepEqual(chosen(['*', '-garbage-collector-controller']), ['--controllers=*,-garbage-collector-controller']);
});

test('every address of the control plane is a loopback address', () => {
  const commands = [
    etcdCommand('etcd', layout, ports),
    apiServerCommand('kube-apiserver', layout, ports, options),
    controllerManagerCommand('kube-controller-manager', layout, ports, undefined),
    schedulerCommand('kube-scheduler', layout, ports),
  ];
  const addresses = commands
    .flat()
    .flatMap((flag) => flag.match(/^--(?:bind-address=|listen-.*:\/\/)([\d.]+)/)?.[1] ?? []);
  assert.deepEqual(addresses, Array(5).fill('127.0.0.1'));
});
