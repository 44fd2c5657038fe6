/** The programs a cluster is made of, and where each of them comes from. */
import {
  craneVersion,
  etcdVersion,
  helmVersion,
  olmVersion,
  operatorFrameworkVersion,
  operatorSdkVersion,
  prometheusVersion,
} from './versions.ts';

/** What answers requests, and the way to ask. */
export const apiPrograms = ['etcd', 'kube-apiserver', 'kubectl'] as const;
/** What acts on its own. */
export const controllerPrograms = ['kube-controller-manager', 'kube-scheduler'] as const;
export const nodePrograms = ['kubelet', 'kube-proxy', 'pause'] as const;

/** Kubernetes' own tests, for a cluster that runs already. */
const testPrograms = ['e2e.test'] as const;
/**
 * What others look at images, install and watch operators with: crane, helm, and programs of ours that read PromQL with
 * Prometheus' parser and judge bundles with the validators of the Operator Framework.
 */
const peerPrograms = ['crane', 'helm', 'promql', 'bundle-validator'] as const;
/** The two processes of OLM, and what serves its catalogues: of one module. */
const olmPrograms = ['olm', 'catalog', 'opm'] as const;
/** What judges bundles, and what its scorecard runs in pods: of one module. */
const sdkPrograms = ['operator-sdk', 'scorecard-test'] as const;
export type PeerProgram = (typeof peerPrograms)[number] | (typeof olmPrograms)[number] | (typeof sdkPrograms)[number];

export type Program =
  | (typeof apiPrograms)[number]
  | (typeof controllerPrograms)[number]
  | (typeof nodePrograms)[number]
  | (typeof testPrograms)[number]
  | PeerProgram;
export type Product = 'kubernetes' | (typeof ownProducts)[number];

/** Programs that are no part of Kubernetes: each is a product of its own. */
const ownProducts = ['etcd', 'pause', 'olm', 'operator-sdk', ...peerPrograms] as const;

/** Raise it with every change of go/pause/main.go. */
const pauseVersion = 'v1';

export function productOf(program: Program): Product {
  if ((olmPrograms as readonly Program[]).includes(program)) return 'olm';
  if ((sdkPrograms as readonly Program[]).includes(program)) return 'operator-sdk';
  return ownProducts.find((each) => each === program) ?? 'kubernetes';
}

/** Whether Go makes it of a package's tests. */
export function isTest(program: Program): boolean {
  return (testPrograms as readonly Program[]).includes(program);
}

/** The version under which a product is cached. */
export function productVersion(product: Product, kubernetesVersion: string): string {
  switch (product) {
    case 'kubernetes':
      return kubernetesVersion;
    case 'etcd':
      return etcdVersion;
    case 'pause':
      return pauseVersion;
    case 'crane':
      return craneVersion;
    case 'helm':
      return helmVersion;
    case 'promql':
      return prometheusVersion;
    case 'bundle-validator':
      return operatorFrameworkVersion;
    case 'operator-sdk':
      return operatorSdkVersion;
    case 'olm':
      return olmVersion;
    default:
      return product satisfies never;
  }
}

/** What it is built without: programs and libraries of C. */
export function buildTags(program: Program): readonly string[] {
  return ['olm', 'operator-sdk'].includes(productOf(program))
    ? ['json1', 'containers_image_openpgp', 'exclude_graphdriver_btrfs', 'exclude_graphdriver_devicemapper']
    : [];
}

/** The Go package that builds it. */
export function goPackage(program: Program): string {
  switch (productOf(program)) {
    case 'kubernetes':
      return isTest(program) ? 'k8s.io/kubernetes/test/e2e' : `k8s.io/kubernetes/cmd/${program}`;
    case 'etcd':
      return 'go.etcd.io/etcd/server/v3';
    case 'crane':
      return 'github.com/google/go-containerregistry/cmd/crane';
    case 'helm':
      return 'helm.sh/helm/v3/cmd/helm';
    case 'operator-sdk':
      return `github.com/operator-framework/operator-sdk/${program === 'operator-sdk' ? 'cmd' : 'images'}/${program}`;
    case 'olm':
      return `github.com/operator-framework/operator-${program === 'opm' ? 'registry' : 'lifecycle-manager'}/cmd/${program}`;
    case 'pause':
    case 'promql':
    case 'bundle-validator':
      return '.';
  }
}
