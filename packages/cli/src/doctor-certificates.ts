/** When the certificates on the way to a cluster end: those of the kubeconfig, and the one that the server shows. */
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import type { ClusterConfig, Material } from '@keelson/client';
import { deadline, timestamp } from '@keelson/core';
import { systemClock } from '@keelson/core/system';
import type { Finding } from './doctor-finding.ts';

export interface CertificateEnd {
  /** Whose it is. */
  readonly of: string;
  /** Wall time in milliseconds. */
  readonly endsAt: number;
}

const dayMs = 24 * 3600 * 1000;
const soonMs = 14 * dayMs;

export function certificateFinding({ of, endsAt }: CertificateEnd, now = systemClock.now()): Finding {
  const when = timestamp(endsAt);
  const next = 'Renew it: "kubeadm certs renew" on clusters of kubeadm, or ask whoever gave you the kubeconfig';
  if (endsAt <= now) return { check: 'certificate', status: 'failed', text: `${of} expired at ${when}`, next };
  if (endsAt - now < soonMs) return { check: 'certificate', status: 'warning', text: `${of} expires at ${when}`, next };
  return { check: 'certificate', status: 'ok', text: `${of} is valid until ${when}` };
}

/** Those that can be read; whether the cluster can be reached is for another check. */
export async function certificatesOf({ tls, server }: ClusterConfig): Promise<readonly CertificateEnd[]> {
  const all = await Promise.all([
    inFile('the certificate authority of the cluster', tls.ca),
    inFile('the client certificate', tls.clientCertificate?.certificate),
    ofServer(server),
  ]);
  return all.filter((each) => each !== undefined);
}

async function inFile(of: string, material: Material | undefined): Promise<CertificateEnd | undefined> {
  if (material === undefined) return undefined;
  const pem = material.type === 'data' ? material.pem.reveal() : await readFile(material.path, 'utf8');
  return { of, endsAt: Date.parse(new X509Certificate(pem).validTo) };
}

/** Whether it is trusted is not asked: one that has expired is not, and is to be told. */
async function ofServer(server: string): Promise<CertificateEnd | undefined> {
  const { protocol, hostname, port } = new URL(server);
  if (protocol !== 'https:') return undefined;
  const host = hostname.replace(/^\[|\]$/g, '');
  const named = isIP(host) === 0 ? { servername: host } : {};
  const socket = connect({ host, port: Number(port || 443), rejectUnauthorized: false, ...named });
  using limit = deadline(systemClock, 5000, 'the handshake');
  try {
    await once(socket, 'secureConnect', { signal: limit.signal });
    return { of: 'the certificate of the API server', endsAt: Date.parse(socket.getPeerCertificate().valid_to) };
  } catch {
    return undefined; // the cluster is not reached, or only by a proxy
  } finally {
    socket.destroy();
  }
}
