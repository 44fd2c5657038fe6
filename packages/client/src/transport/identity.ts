/**
 * Who we are to the server at this moment: the headers of the next request and the certificates of the next connection.
 *
 * Files are looked at again every minute, as client-go does; a token that the server refuses (401) is renewed at once
 * where its source allows that.
 */
import type { Clock } from '@keelson/core';
import type { ClusterConfig, Material } from '../config/cluster-config.ts';
import { ExecCredentials } from './exec-credential.ts';
import { FreshFiles } from './fresh-file.ts';

/** PEM texts for a TLS connection. */
export interface TlsIdentity {
  readonly ca: string | undefined;
  readonly certificate: string | undefined;
  readonly key: string | undefined;
}

export interface Identity {
  readonly authorization: string | undefined;
  readonly tls: TlsIdentity;
  /** Called after a 401: whether another attempt would be made with something new. */
  readonly renew: () => boolean;
}

export interface IdentitySource {
  current(): Promise<Identity>;
}

/** client-go: tokens for a minute, less 10 s of leeway. */
const maxAgeMs = 50_000;

export function identitySource(
  config: ClusterConfig,
  clock: Clock,
  env: Readonly<Record<string, string | undefined>>,
): IdentitySource {
  const files = new FreshFiles(clock, maxAgeMs);
  const textOf = async (material: Material | undefined) =>
    material?.type === 'file' ? await files.read(material.path) : material?.pem.reveal();
  const { tls, credentials } = config;
  const exec =
    credentials.type === 'exec'
      ? new ExecCredentials(credentials.plugin, { clock, env, cluster: () => clusterInfo(config, textOf) })
      : undefined;

  return {
    async current() {
      const ca = await textOf(tls.ca);
      const own = {
        ca,
        certificate: await textOf(tls.clientCertificate?.certificate),
        key: await textOf(tls.clientCertificate?.key),
      };
      switch (credentials.type) {
        case 'none':
          return { authorization: undefined, tls: own, renew: never };
        case 'token':
          return { authorization: `Bearer ${credentials.token.reveal()}`, tls: own, renew: never };
        case 'basic': {
          const pair = `${credentials.username}:${credentials.password.reveal()}`;
          return { authorization: `Basic ${Buffer.from(pair).toString('base64')}`, tls: own, renew: never };
        }
        case 'tokenFile': {
          const authorization = `Bearer ${(await files.read(credentials.path)).trim()}`;
          const renew = () => {
            files.expire(credentials.path);
            return true;
          };
          return { authorization, tls: own, renew };
        }
        case 'exec': {
          const credential = await (exec as ExecCredentials).get();
          return {
            authorization: credential.token === undefined ? undefined : `Bearer ${credential.token}`,
            tls: credential.certificate ? { ca, ...credential.certificate } : own,
            renew: () => (exec as ExecCredentials).refuse(credential),
          };
        }
        default:
          return credentials satisfies never;
      }
    },
  };
}

const never = () => false;

/** The `spec.cluster` of an ExecCredential. */
async function clusterInfo(
  { server, tls, proxyUrl, disableCompression, credentials }: ClusterConfig,
  textOf: (material: Material | undefined) => Promise<string | undefined>,
): Promise<Readonly<Record<string, unknown>>> {
  const ca = await textOf(tls.ca);
  return {
    server,
    'tls-server-name': tls.serverName,
    'insecure-skip-tls-verify': tls.insecureSkipVerify || undefined,
    'certificate-authority-data': ca && Buffer.from(ca).toString('base64'),
    'proxy-url': proxyUrl?.reveal(),
    'disable-compression': disableCompression || undefined,
    config: credentials.type === 'exec' ? (credentials.plugin.clusterExtension ?? null) : null,
  };
}
