/**
 * Where a cluster is, how to trust it, and how to prove who we are: everything that `connect` needs, as one value.
 *
 * It names files rather than holding their content where the source does, since kubelets and cloud tools replace those
 * files while a process runs.
 */
import type { Secret } from './secret.ts';

/** Everything that is needed to talk to a cluster: where it is, how to trust it, and who we are. */
export interface ClusterConfig {
  /** Base URL of the API server, such as `https://127.0.0.1:6443`; a path prefix is kept. */
  readonly server: string;
  /** The namespace to work in when none is named: the context's, the pod's, or `default`. */
  readonly namespace: string;
  readonly tls: TlsConfig;
  readonly credentials: Credentials;
  /** Act as someone else, if the rules allow it. */
  readonly impersonate?: Impersonation | undefined;
  /** A proxy that opens tunnels to the server: an http, https or socks5 URL, which may contain a password. */
  readonly proxyUrl?: Secret | undefined;
  /** Never ask for compressed answers, whatever `connect` is told. */
  readonly disableCompression: boolean;
  /** Where this came from, for messages: `context "kind" of /home/me/.kube/config`. */
  readonly source: string;
  /** The context of the kubeconfig that was chosen; a pod's own service account has none. */
  readonly context?: string | undefined;
}

/** How the server is recognised, and how we are. */
export interface TlsConfig {
  /** PEM of the authorities to trust; absent means those that Node trusts. */
  readonly ca?: Material | undefined;
  /** The name to expect in the server's certificate, when it is not the host in `server`. */
  readonly serverName?: string | undefined;
  readonly insecureSkipVerify: boolean;
  /** Proves who we are to the server during the handshake. May stand beside other credentials. */
  readonly clientCertificate?: { readonly certificate: Material; readonly key: Material } | undefined;
}

/** PEM text, or the file that holds it; a file is read again when it changes. */
export type Material =
  | { readonly type: 'data'; readonly pem: Secret }
  | { readonly type: 'file'; readonly path: string };

/** What is sent with each request. */
export type Credentials =
  | { readonly type: 'none' }
  | { readonly type: 'token'; readonly token: Secret }
  | { readonly type: 'tokenFile'; readonly path: string }
  | { readonly type: 'basic'; readonly username: string; readonly password: Secret }
  | { readonly type: 'exec'; readonly plugin: ExecPlugin };

/** A program that prints an ExecCredential (client.authentication.k8s.io). */
export interface ExecPlugin {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: Secret<readonly string[]>;
  /** Added to the environment that `loadConfig` was given. */
  readonly env: Secret<Readonly<Record<string, string>>>;
  readonly installHint?: string | undefined;
  /** Whether the program is told about the cluster in `KUBERNETES_EXEC_INFO`. */
  readonly provideClusterInfo: boolean;
  /** The cluster's own `client.authentication.k8s.io/exec` extension, passed on with that. */
  readonly clusterExtension?: unknown;
  readonly interactiveMode: 'Never' | 'IfAvailable' | 'Always';
}

/** Whom to act as: the headers `Impersonate-User` and its companions. */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}
