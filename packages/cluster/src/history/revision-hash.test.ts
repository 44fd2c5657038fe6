import assert from 'node:assert/strict';
import { test } from 'node:test';
import { revisionHash, revisionText, templateIn, templatePatch } from './revision-hash.ts';

/** A template as a real server returned it, and the name that its StatefulSet controller gave the revision. */
const template = {
  metadata: { labels: { app: 'web' }, annotations: { note: '<x> & y' } },
  spec: {
    containers: [
      {
        name: 'web',
        image: 'web:1',
        ports: [{ name: 'http', containerPort: 80, protocol: 'TCP' }],
        resources: {},
        volumeMounts: [{ name: 'data', mountPath: '/data' }],
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
        imagePullPolicy: 'IfNotPresent',
      },
    ],
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 1,
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    schedulerName: 'default-scheduler',
  },
} as const;

test('a template has the hash that Kubernetes gives it', () => {
  assert.equal(revisionHash(templatePatch(template), 0), '79c56c6f56');
  assert.notEqual(revisionHash(templatePatch(template), 1), '79c56c6f56');
});

test('a revision gives its template back, and is the same whatever the order of its members', () => {
  const data = templatePatch(template);
  assert.deepEqual(templateIn(data), template);
  const shuffled = { spec: { template: { spec: template.spec, $patch: 'replace', metadata: template.metadata } } };
  assert.equal(revisionText(shuffled), revisionText(data));
});
