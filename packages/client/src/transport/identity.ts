/**
 * Who we are to the server at this moment: the headers of the next request and the certificates of the next connection.
 *
 * Files are looked at again every minute, as client-go does; a token that the server refuses (401) is renewed at once
 * where its source allows that. What others are just writing and cannot be used yet does not replace what was good.
 */
import type { Clock } from '@keelson/core';
import type { ClusterConfig } from '../config/cluster-config.ts';
import { ConfigError } from '../config/config-error.ts';
import { isToken, notAToken } from '../config/token.ts';
import { ExecCredentials } from './exec-credential.ts';
import { FreshFiles } from './fresh-file.ts';
import { LastGood } from './last-good.ts';
import { type TlsIdentity, type TlsSource, tlsSource } from './tls-identity.ts';

export interface Identity {
  readonly authorization: string | undefined;
  readonly tls: TlsIdentity;
  /** Called after a 401: whether another attempt would be made with something new. */
  readonly renew: () => boolean;
  /** For people, when the server does not accept us: what was sent. */
  readonly describe: () => string;
}

export interface IdentitySource {
  current(): Promise<Identity>;
}

/** client-go: tokens for a minute, less 10 s of leeway. */
const maxAgeMs = 50_000;

/** The signal ends what is running to find out who we are. */
export function identitySource(
  config: ClusterConfig,
  clock: Clock,
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): IdentitySource {
  const files = new FreshFiles(clock, maxAgeMs);
  const ownTls = tlsSource(config, files, clock);
  const { credentials, source } = config;
  const certificateOrNothing = (tls: TlsIdentity) =>
    tls.certificate === undefined
      ? `${source} names no credentials`
      : `the client certificate of ${source} was not accepted${ownTls.whyExpired(tls)}`;

  switch (credentials.type) {
    case 'none':
      return {
        async current() {
          const tls = await ownTls.current();
          return { authorization: undefined, tls, renew: never, describe: () => certificateOrNothing(tls) };
        },
      };
    case 'token':
    case 'basic': {
      const authorization =
        credentials.type === 'token'
          ? `Bearer ${credentials.token.reveal()}`
          : `Basic ${Buffer.from(`${credentials.username}:${credentials.password.reveal()}`).toString('base64')}`;
      const what = credentials.type === 'token' ? 'token' : 'user and password';
      const describe = () => `the ${what} of ${source} was not accepted`;
      return {
        current: async () => ({ authorization, tls: await ownTls.current(), renew: never, describe }),
      };
    }
    case 'tokenFile': {
      const { path } = credentials;
      const header = new LastGood((text: string) => `Bearer ${tokenIn(path, text)}`);
      const renew = () => {
        files.expire(path);
        return true;
      };
      const describe = () => `the token in ${path} was not accepted`;
      return {
        async current() {
          const tls = await ownTls.current();
          return { authorization: header.get(await files.read(path)), tls, renew, describe };
        },
      };
    }
    case 'exec': {
      const { plugin } = credentials;
      const exec = new ExecCredentials(plugin, { clock, env, cluster: () => clusterInfo(config, ownTls), signal });
      const describe = () => `the credentials that ${JSON.stringify(plugin.command)} printed were not accepted`;
      return {
        async current() {
          const own = await ownTls.current();
          const credential = await exec.get();
          return {
            authorization: credential.token === undefined ? undefined : `Bearer ${credential.token}`,
            tls: credential.certificate ? { ca: own.ca, ...credential.certificate } : own,
            renew: () => exec.refuse(credential),
            describe,
          };
        },
      };
    }
    default:
      return credentials satisfies never;
  }
}

const never = () => false;

function tokenIn(file: string, text: string): string {
  const token = text.trim();
  if (token === '') throw new ConfigError({ file }, 'is empty, and should hold a token');
  if (!isToken(token)) throw new ConfigError({ file }, notAToken);
  return token;
}

/** The `spec.cluster` of an ExecCredential. */
async function clusterInfo(
  { server, tls, proxyUrl, disableCompression, credentials }: ClusterConfig,
  ownTls: TlsSource,
): Promise<Readonly<Record<string, unknown>>> {
  const { ca } = await ownTls.current();
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
