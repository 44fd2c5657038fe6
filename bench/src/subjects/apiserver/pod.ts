/** A pod as clusters are full of them: one container with a probe, resources, environment and a volume. */

export const pod = (name: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      labels: {
        'app.kubernetes.io/name': 'storefront',
        'app.kubernetes.io/instance': 'shop',
        'app.kubernetes.io/version': '4.17.2',
        tier: 'web',
      },
      annotations: { 'prometheus.io/scrape': 'true', 'prometheus.io/port': '8080' },
    },
    spec: {
      securityContext: { runAsNonRoot: true, fsGroup: 10001 },
      containers: [
        {
          name: 'web',
          image: 'registry.example.com/shop/storefront:4.17.2',
          args: ['serve', '--listen=:8080', '--config=/etc/storefront/config.yaml'],
          ports: [{ name: 'http', containerPort: 8080 }],
          env: [
            { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
            { name: 'DATABASE_PASSWORD', valueFrom: { secretKeyRef: { name: 'storefront', key: 'password' } } },
          ],
          resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
          readinessProbe: { httpGet: { path: '/ready', port: 'http' }, periodSeconds: 5 },
          volumeMounts: [{ name: 'config', mountPath: '/etc/storefront', readOnly: true }],
        },
      ],
      volumes: [{ name: 'config', configMap: { name: 'storefront' } }],
    },
  });

export const podName = (index: number): string => `storefront-${String(index).padStart(5, '0')}`;

/** The requests that a namespace needs before pods can be in it; elsewhere a controller makes the account. */
export const newNamespace = (name: string): readonly { readonly path: string; readonly body: string }[] => [
  {
    path: '/api/v1/namespaces',
    body: JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }),
  },
  {
    path: `/api/v1/namespaces/${name}/serviceaccounts`,
    body: JSON.stringify({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } }),
  },
];

export const podsPath = (namespace: string): string => `/api/v1/namespaces/${namespace}/pods`;
