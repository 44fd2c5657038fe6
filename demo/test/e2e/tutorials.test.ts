/**
 * The step-by-step pages, typed by an unmodified kubectl: on what `npm start` starts, and on a real Kubernetes, where each
 * operator is a process with the rights of its generated roles and no others.
 */
import assert from 'node:assert/strict';
import { after, before, describe } from 'node:test';
import { fileURLToPath } from 'node:url';
import { availability, type Kubernetes, kubectlEnvironment, startKubernetes } from '@keelson/tools-kubernetes';
import { install as installEcho, type ReplicaProcess, startReplica } from '../../../operators/echo/test/replicas.ts';
import { install as installMemcached } from '../../../operators/memcached/test/installation.ts';
import { type OperatorProcess, startOperator } from '../../../operators/memcached/test/operator-process.ts';
import { printed, type StartProcess, start } from '../start-process.ts';
import { transcriptTests } from '../transcript.ts';

const root = new URL('../../../', import.meta.url);
process.chdir(fileURLToPath(root)); // the pages name files by their place in the repository

const pages = ['docs/memcached.md', 'docs/echo.md'];
const kubectl = await availability();
const pods = await availability({ pods: true });

describe('on the embedded cluster', { skip: kubectl.available ? false : kubectl.reason }, () => {
  let demo: StartProcess;
  let env: Readonly<Record<string, string | undefined>>;
  before(async () => {
    demo = start([]);
    const [, kubeconfig = ''] = await printed(demo, /export KUBECONFIG=(\S+)/);
    env = await kubectlEnvironment(kubeconfig);
    await printed(demo, /hello-world {2}Complete=True/);
  });
  after(async () => {
    demo?.kill('SIGINT');
    assert.equal(await demo?.ended, 0, demo?.printed());
  });
  for (const page of pages) describe(page, () => transcriptTests(new URL(page, root), () => env));
});

describe('on real Kubernetes', { skip: pods.available ? false : pods.reason }, () => {
  let kube: Kubernetes;
  let memcached: OperatorProcess;
  let echo: ReplicaProcess;
  before(async () => {
    kube = await startKubernetes({ pods: true });
    const { kubeconfig, webhookFlags } = await installMemcached(kube);
    memcached = startOperator(kubeconfig, webhookFlags);
    echo = startReplica(await installEcho(kube), 'tutorial', { HA_ENABLED: 'false' });
  });
  after(async () => {
    assert.equal(await memcached?.stop('SIGTERM'), 0, memcached?.log());
    assert.equal(await echo?.stop('SIGTERM'), 0, echo?.log());
    await kube?.[Symbol.asyncDispose]();
  });
  for (const page of pages) describe(page, () => transcriptTests(new URL(page, root), () => kube.env));
});
