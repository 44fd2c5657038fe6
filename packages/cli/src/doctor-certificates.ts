/**
 * When certificates end: on the way to a cluster those of the kubeconfig and the one that the server shows, and on the
 * way back that of the operator's webhooks.
 */
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import type { ClusterConfig, Material } from '@keelson/client';
import { deadline, timestamp } from '@keelson/core';
import { systemClock } from '@keelson/core/system';
import type { CertificateReport } from '@keelson/runtime';
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

/** Whether the cluster can be reached is for another check. */
export async function certificateFindings(config: ClusterConfig): Promise<readonly Finding[]> {
  const { ca, clientCertificate } = config.tls;
  const all = await Promise.all([
    inFile('the certificate authority of the cluster', ca),
    inFile('the client certificate', clientCertificate?.certificate),
    ofServer('the certificate of the API server', config),
  ]);
  return all.filter((each) => each !== undefined);
}

/** Of several, the one that ends first. */
async function inFile(of: string, material: Material | undefined): Promise<Finding | undefined> {
  if (material === undefined) return undefined;
  try {
    const pem = material.type === 'data' ? material.pem.reveal() : await readFile(material.path, 'utf8');
    const each = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [pem];
    const ends = each.map((text) => Date.parse(new X509Certificate(text).validTo));
    return certificateFinding({ of, endsAt: Math.min(...ends) });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { check: 'certificate', status: 'failed', text: `${of} cannot be read: ${reason}` };
  }
}

/** Whether it is trusted is not asked: one that has expired is not, and is to be told. */
async function ofServer(of: string, { server, tls, proxyUrl }: ClusterConfig): Promise<Finding | undefined> {
  const { protocol, hostname, port } = new URL(server);
  if (protocol !== 'https:') return undefined;
  if (proxyUrl !== undefined) {
    return { check: 'certificate', status: 'ok', text: `${of} is not looked at, since a proxy stands between` };
  }
  const host = hostname.replace(/^\[|\]$/g, '');
  const servername = tls.serverName ?? (isIP(host) === 0 ? host : undefined);
  const named = servername === undefined ? {} : { servername };
  const socket = connect({ host, port: Number(port || 443), rejectUnauthorized: false, ...named });
  using limit = deadline(systemClock, 5000, 'the handshake');
  try {
    await once(socket, 'secureConnect', { signal: limit.signal });
    return certificateFinding({ of, endsAt: Date.parse(socket.getPeerCertificate().valid_to) });
  } catch {
    return undefined; // the cluster is not reached
  } finally {
    socket.destroy();
  }
}

/** What to do next. Who is given certificates as files keeps none. */
const nextAbout = {
  failed: 'The operator puts that right within seconds where it runs; if not, its log and /readyz?verbose say why',
  ending:
    'It is renewed when a third of its life is left: does the operator run? Its log and /readyz?verbose say why not',
  unknown: 'The operator makes it when it starts, unless it is given certificates as files',
} as const;

export function webhookFindings({ status, sentences }: CertificateReport): readonly Finding[] {
  const check = 'certificate';
  if (status === 'ok') return sentences.map((text) => ({ check, status, text }));
  const next = nextAbout[status];
  return sentences.map((text) => ({ check, status: status === 'failed' ? 'failed' : 'warning', text, next }));
}
