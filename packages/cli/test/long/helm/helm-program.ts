/** Helm itself, with a home of its own for the time of a test file, and the charts that it is given. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createCluster } from '@keelson/cluster';
import { availability, kubectlEnvironment, peerProgram, startKubernetes } from '@keelson/tools-kubernetes';
import { parseAllDocuments } from 'yaml';

export const operators = fileURLToPath(new URL('../../../../../operators', import.meta.url));
export const chartOf = (operator: string) => join(operators, operator, 'chart');

/** What the operators are called, and where they go if nobody says otherwise. */
export const names = {
  memcached: { release: 'memcached-operator', namespace: 'memcached-operator-system' },
  echo: { release: 'echo-operator', namespace: 'echo-operator-system' },
} as const;

/** Why there is no Helm, or no cluster for it, on this machine. */
export async function missing(needs: { readonly pods?: boolean } = {}): Promise<string | false> {
  const possible = await availability(needs);
  return !possible.available && possible.reason;
}

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** The folder of a test file, in which Helm also keeps what it remembers; gone when the tests are over. */
export const folder = await mkdtemp(join(tmpdir(), 'keelson-helm-test-'));
after(() => rm(folder, { recursive: true, force: true }));

export const run = (command: string, args: readonly string[], env: Variables = {}, input = '') =>
  new Promise<Ran>((resolve) => {
    const helmHome = { HOME: folder, XDG_CACHE_HOME: undefined, XDG_CONFIG_HOME: undefined, XDG_DATA_HOME: undefined };
    const options = { env: { ...process.env, ...helmHome, ...env }, maxBuffer: 1e8 };
    const child = execFile(command, args, options, (error, out, err) =>
      resolve({ code: error === null ? 0 : 1, out, err }),
    );
    child.stdin?.end(input);
  });

/** What it printed; it must succeed. */
export async function well(ran: Promise<Ran>, what: string): Promise<string> {
  const { code, out, err } = await ran;
  assert.equal(code, 0, `${what}: ${err}${out}`);
  return out;
}

/** Helm without a cluster, or on the one whose kubeconfig is named. */
export const tryHelm = async (args: readonly string[], kubeconfig?: string) =>
  await run(await peerProgram('helm'), args, { KUBECONFIG: kubeconfig });
export const helm = (...args: string[]) => well(tryHelm(args), `helm ${args.join(' ')}`);

export const set = (values: readonly string[]) => values.flatMap((each) => ['--set', each]);

/** Until the pods are ready, or gone. */
export const waiting = ['--wait', '--timeout', '10m'];

/** An object as Helm prints it. */
export interface Printed extends Readonly<Record<string, unknown>> {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
}

export const objectsIn = (text: string): readonly Printed[] =>
  parseAllDocuments(text).flatMap((document) => (document.toJS() as Printed | null) ?? []);

/** A cluster that Helm works on. */
export interface Place {
  helm(...args: string[]): Promise<string>;
  tryHelm(...args: string[]): Promise<Ran>;
  kubectl(...args: string[]): Promise<string>;
  tryKubectl(args: readonly string[], input?: string): Promise<Ran>;
  apply(object: object): Promise<string>;
}

export function placeOf(kubeconfig: string, env: Variables): Place {
  const tryKubectl = (args: readonly string[], input?: string) => run('kubectl', args, env, input);
  const kubectl = (args: readonly string[], input?: string) =>
    well(tryKubectl(args, input), `kubectl ${args.join(' ')}`);
  return {
    helm: (...args) => well(tryHelm(args, kubeconfig), `helm ${args.join(' ')}`),
    tryHelm: (...args) => tryHelm(args, kubeconfig),
    kubectl: (...args) => kubectl(args),
    tryKubectl,
    apply: (object) => kubectl(['apply', '--server-side', '-f', '-'], JSON.stringify(object)),
  };
}

/** The clusters that every chart is tried on; on the real one here no pods run. */
export const clusters: readonly (readonly [on: string, start: () => Promise<Place & AsyncDisposable>])[] = [
  [
    'real Kubernetes',
    async () => {
      const kube = await startKubernetes();
      return { ...placeOf(kube.kubeconfig, kube.env), [Symbol.asyncDispose]: () => kube[Symbol.asyncDispose]() };
    },
  ],
  [
    'the embedded cluster',
    async () => {
      const cluster = createCluster();
      const { kubeconfig } = await cluster.listen();
      await cluster.ready;
      const file = join(folder, 'embedded.kubeconfig');
      await writeFile(file, kubeconfig, { mode: 0o600 });
      const place = placeOf(file, await kubectlEnvironment(file));
      return { ...place, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() };
    },
  ],
];

/** A namespace whose pods must be harmless. */
export const restricted = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
});
