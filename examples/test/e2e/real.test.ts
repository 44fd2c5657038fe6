import { after, before, describe } from 'node:test';
import { availability, type Kubernetes, startKubernetes } from '@keelson/tools-kubernetes';
import { testExamples } from '../examples.ts';

const found = await availability();
const skip = found.available ? false : found.reason;

describe('the examples on real Kubernetes', { skip }, () => {
  let kube: Kubernetes;

  before(async () => {
    kube = await startKubernetes();
  });

  after(() => kube[Symbol.asyncDispose]());

  testExamples(() => kube.kubeconfig);
});
