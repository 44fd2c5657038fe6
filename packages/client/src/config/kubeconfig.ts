/**
 * Kubeconfig files: several are read as one, and one context of them becomes a configuration.
 *
 * For each cluster, user and context the first file that has the name wins, and the first `current-context` counts.
 * Relative paths start at the folder of the file that has them.
 */
import type { ClusterConfig, Credentials, ExecPlugin, Impersonation, Material, TlsConfig } from './cluster-config.ts';
import { ConfigError } from './config-error.ts';
import { expectedProxy, isProxyUrl } from './proxy.ts';
import { Secret } from './secret.ts';
import { Section } from './section.ts';
import { isToken, notAToken } from './token.ts';

/** Hundreds of clusters with their certificates have room in it. */
const maxLength = 16 * 1024 * 1024;

export interface KubeconfigFile {
  readonly path: string;
  readonly text: string;
}

/** The configuration that `context`, or else the files' current context, describes. */
export async function readKubeconfig(files: readonly KubeconfigFile[], context?: string): Promise<ClusterConfig> {
  const roots = await Promise.all(files.map(parse));
  const first = roots.find((root) => root.string('current-context') !== undefined);
  const contexts = merge(roots, 'contexts');
  const chosen = context ?? first?.string('current-context');
  const everywhere = files.map(({ path }) => path).join(', ');
  const available =
    contexts.size === 0 ? 'there are none; is this a kubeconfig?' : `there are: ${[...contexts.keys()].join(', ')}`;
  if (chosen === undefined) {
    throw new ConfigError({ file: everywhere, field: 'current-context' }, `no context is chosen; ${available}`);
  }
  const entry = contexts.get(chosen);
  if (entry === undefined) {
    const from = context === undefined && first ? { file: first.file, field: 'current-context' } : { file: everywhere };
    throw new ConfigError(from, `there is no context "${chosen}"; ${available}`);
  }
  const fields = body(entry, 'context');
  const cluster = referred(fields, 'cluster', merge(roots, 'clusters'));
  const user = fields.string('user') === undefined ? undefined : referred(fields, 'user', merge(roots, 'users'));
  return clusterConfig(cluster, user, {
    namespace: fields.string('namespace') ?? 'default',
    source: `context "${chosen}" of ${entry.file}`,
    context: chosen,
  });
}

async function parse({ path, text }: KubeconfigFile): Promise<Section> {
  if (text.length > maxLength) throw new ConfigError({ file: path }, 'is larger than 16 MiB; is this a kubeconfig?');
  const yaml = await import('yaml'); // loaded late: a pod never needs it
  const refuse = (at: number, reason: string) => {
    const line = text.slice(0, at).split('\n').length;
    return new ConfigError({ file: path, field: `line ${line}` }, `is not YAML (${reason})`);
  };
  // The parser's own messages may quote the text, and with it a secret, so none of them is passed on. Its own search for
  // doubled keys compares each with each, which takes minutes where there are many.
  const options = { prettyErrors: false, logLevel: 'silent', merge: true, uniqueKeys: false } as const;
  const document = yaml.parseDocument(text, options);
  const [error] = document.errors;
  if (error) {
    const reason = error.code === 'RESOURCE_EXHAUSTION' ? 'nested too deeply' : error.code.toLowerCase();
    throw refuse(error.pos[0], reason.replaceAll('_', ' '));
  }
  yaml.visit(document, {
    Map(_, { items }) {
      const keys = new Set<unknown>();
      for (const { key } of items) {
        if (!yaml.isScalar(key)) continue;
        if (keys.has(key.value) && key.value !== '<<') throw refuse(key.range?.[0] ?? 0, 'duplicate key');
        keys.add(key.value);
      }
    },
  });
  let content: unknown;
  try {
    content = document.toJS();
  } catch {
    throw new ConfigError({ file: path }, 'is not YAML (its aliases lead nowhere, or multiply)');
  }
  return new Section(path, '', content ?? {});
}

function merge(roots: readonly Section[], list: string): ReadonlyMap<string, Section> {
  const merged = new Map<string, Section>();
  for (const root of roots) {
    for (const [name, section] of root.named(list)) if (!merged.has(name)) merged.set(name, section);
  }
  return merged;
}

function body(entry: Section, name: string): Section {
  return entry.section(name) ?? new Section(entry.file, `${entry.path}.${name}`, {});
}

function referred(context: Section, what: 'cluster' | 'user', among: ReadonlyMap<string, Section>): Section {
  const name = context.required(what);
  const entry = among.get(name);
  if (entry === undefined) throw context.error(what, `there is no ${what} "${name}"`);
  return body(entry, what);
}

function clusterConfig(
  cluster: Section,
  user: Section | undefined,
  rest: Pick<ClusterConfig, 'namespace' | 'source' | 'context'>,
): ClusterConfig {
  const proxyUrl = cluster.string('proxy-url');
  if (proxyUrl !== undefined && !isProxyUrl(proxyUrl)) throw cluster.error('proxy-url', expectedProxy);
  const tls = tlsOf(cluster, user);
  const credentials: Credentials = user ? credentialsOf(user, cluster) : { type: 'none' };
  return {
    server: serverOf(cluster),
    tls,
    // A plugin is not asked when there is a client certificate: so kubectl decides.
    credentials: credentials.type === 'exec' && tls.clientCertificate ? { type: 'none' } : credentials,
    impersonate: user && impersonationOf(user),
    proxyUrl: proxyUrl === undefined ? undefined : new Secret(proxyUrl),
    disableCompression: cluster.boolean('disable-compression'),
    ...rest,
  };
}

function serverOf(cluster: Section): string {
  const server = cluster.required('server');
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
    throw cluster.error('server', 'is not an http or https URL, such as https://127.0.0.1:6443');
  if (url.username || url.password) throw cluster.error('server', 'must not contain a user; put it under users');
  return server.replace(/\/+$/, '');
}

function tlsOf(cluster: Section, user: Section | undefined): TlsConfig {
  const ca = materialOf(cluster, 'certificate-authority');
  const insecureSkipVerify = cluster.boolean('insecure-skip-tls-verify');
  if (insecureSkipVerify && ca) {
    throw cluster.error('insecure-skip-tls-verify', 'contradicts certificate-authority; remove one of them');
  }
  const certificate = user && materialOf(user, 'client-certificate');
  const key = user && materialOf(user, 'client-key');
  if (certificate && !key) throw user.error('client-key', 'is missing beside client-certificate');
  return {
    ca,
    serverName: cluster.string('tls-server-name'),
    insecureSkipVerify,
    clientCertificate: certificate && key ? { certificate, key } : undefined,
  };
}

/** `name-data` holds the PEM in base64 and beats `name`, which is a path. */
function materialOf(section: Section, name: string): Material | undefined {
  const pem = section.base64(`${name}-data`);
  if (pem !== undefined) {
    if (!pem.includes('-----BEGIN')) throw section.error(`${name}-data`, 'is not PEM in base64');
    return { type: 'data', pem: new Secret(pem) };
  }
  const path = section.filePath(name);
  return path === undefined ? undefined : { type: 'file', path };
}

function credentialsOf(user: Section, cluster: Section): Credentials {
  const token = user.string('token');
  const tokenFile = user.filePath('tokenFile');
  const username = user.string('username');
  const password = user.string('password');
  const hasBasic = username !== undefined || password !== undefined;
  if (user.has('auth-provider')) {
    throw user.error('auth-provider', 'was removed from Kubernetes; use an exec plugin in its place');
  }
  if (hasBasic && (token !== undefined || tokenFile !== undefined)) {
    throw user.error('token', 'stands beside username and password; only one of them can be used');
  }
  if (tokenFile !== undefined) return { type: 'tokenFile', path: tokenFile };
  if (token !== undefined && !isToken(token)) throw user.error('token', notAToken);
  if (token !== undefined) return { type: 'token', token: new Secret(token) };
  if (hasBasic) return { type: 'basic', username: username ?? '', password: new Secret(password ?? '') };
  const exec = user.section('exec');
  return exec ? { type: 'exec', plugin: execPluginOf(exec, cluster) } : { type: 'none' };
}

function execPluginOf(exec: Section, cluster: Section): ExecPlugin {
  const apiVersion = exec.required('apiVersion');
  if (!/^client\.authentication\.k8s\.io\/v1(beta1)?$/.test(apiVersion)) {
    throw exec.error('apiVersion', 'is not client.authentication.k8s.io/v1 (or v1beta1)');
  }
  const interactiveMode = exec.string('interactiveMode') ?? (apiVersion.endsWith('beta1') ? 'IfAvailable' : undefined);
  if (interactiveMode !== 'Never' && interactiveMode !== 'IfAvailable' && interactiveMode !== 'Always') {
    throw exec.error('interactiveMode', 'must be Never, IfAvailable or Always');
  }
  const extension = cluster.sections('extensions').find((each) => each.string('name') === execExtension);
  return {
    apiVersion,
    command: commandOf(exec),
    args: new Secret(exec.strings('args')),
    env: new Secret(
      Object.fromEntries(exec.sections('env').map((each) => [each.required('name'), each.string('value') ?? ''])),
    ),
    installHint: exec.string('installHint'),
    provideClusterInfo: exec.boolean('provideClusterInfo'),
    clusterExtension: extension?.raw('extension'),
    interactiveMode,
  };
}

const execExtension = 'client.authentication.k8s.io/exec';

/** A command with a slash is a path, relative to the file; one without is looked up in PATH. */
function commandOf(exec: Section): string {
  const command = exec.required('command');
  return command.includes('/') ? (exec.filePath('command') ?? command) : command;
}

function impersonationOf(user: Section): Impersonation | undefined {
  const name = user.string('as');
  const uid = user.string('as-uid');
  const groups = user.strings('as-groups');
  const extra = user.stringLists('as-user-extra');
  if (name !== undefined) return { user: name, uid, groups, extra };
  if (uid !== undefined || groups.length > 0 || Object.keys(extra).length > 0) {
    throw user.error('as', 'is missing; as-uid, as-groups and as-user-extra need it');
  }
  return undefined;
}
