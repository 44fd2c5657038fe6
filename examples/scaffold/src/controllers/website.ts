/** Keeps a Deployment for every Website, and tells how it is. */
import { Deployment, type NewDeployment } from '@keelson/core/apps/v1';
import { controller, done } from '@keelson/runtime';
import { Website, type WebsiteStatus } from '../api/website.ts';

export const websiteController = controller({
  for: Website,
  owns: [Deployment],
  async reconcile(website, { owned, status }) {
    const deployment = await owned.apply(Deployment, desiredDeployment(website));
    status.report(statusOf(website, deployment));
    return done; // the Deployment is owned: its next change brings us back
  },
});

/** What should exist. */
function desiredDeployment({ metadata: { name }, spec: { image, replicas } }: Website): NewDeployment {
  const labels = { 'app.kubernetes.io/name': 'website', 'app.kubernetes.io/instance': name };
  return {
    metadata: { name, labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          securityContext: { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: 'RuntimeDefault' } },
          containers: [
            {
              name: 'website',
              image,
              securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
            },
          ],
        },
      },
    },
  };
}

/** What users are told. */
function statusOf({ spec: { replicas } }: Website, { status }: Deployment): WebsiteStatus {
  const ready = status.readyReplicas ?? 0;
  const message = `${ready} of ${replicas} pods are ready.`;
  const available =
    ready >= replicas
      ? ({ type: 'Available', status: 'True', reason: 'PodsReady', message } as const)
      : ({ type: 'Available', status: 'False', reason: 'PodsNotReady', message } as const);
  return { readyReplicas: ready, conditions: [available] };
}
