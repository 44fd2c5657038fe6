/**
 * Reads from a kubeconfig what this suite needs to reach its server: address, authority and credentials of the current
 * context, given inline or as files. Deliberately not the client's reader: the suite shares no code with what it judges.
 */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';

export interface Connection {
  readonly server: string;
  readonly certificateAuthority: string | undefined;
  readonly skipVerification: boolean;
  readonly clientCertificate: string | undefined;
  readonly clientKey: string | undefined;
  readonly token: string | undefined;
}

type Entry = Readonly<Record<string, unknown>>;

export function readKubeconfig(file: string): Connection {
  return parseKubeconfig(readFileSync(file, 'utf8'), (path) => readFileSync(resolve(dirname(file), path), 'utf8'));
}

export function parseKubeconfig(
  text: string,
  readFile: (path: string) => string = (path) => readFileSync(path, 'utf8'),
): Connection {
  const config = parse(text) as Entry;
  const context = named(config, 'contexts', 'context', config['current-context']);
  const cluster = named(config, 'clusters', 'cluster', context.cluster);
  const user = named(config, 'users', 'user', context.user);
  const pem = (entry: Entry, key: string) => {
    const inline = entry[`${key}-data`];
    if (typeof inline === 'string') return Buffer.from(inline, 'base64').toString();
    const path = entry[key];
    return typeof path === 'string' ? readFile(path) : undefined;
  };
  if (typeof cluster.server !== 'string') throw new TypeError('kubeconfig: the cluster of the context has no server');
  return {
    server: cluster.server.replace(/\/$/, ''),
    certificateAuthority: pem(cluster, 'certificate-authority'),
    skipVerification: cluster['insecure-skip-tls-verify'] === true,
    clientCertificate: pem(user, 'client-certificate'),
    clientKey: pem(user, 'client-key'),
    token: typeof user.token === 'string' ? user.token : undefined,
  };
}

function named(config: Entry, list: string, key: string, name: unknown): Entry {
  const entries = config[list];
  const found = Array.isArray(entries) ? (entries as Entry[]).find((entry) => entry.name === name) : undefined;
  if (!found) throw new TypeError(`kubeconfig: ${list} has no entry ${JSON.stringify(name)}`);
  return (found[key] ?? {}) as Entry;
}
