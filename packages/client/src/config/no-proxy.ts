/** `NO_PROXY`: which servers are reached directly although there is a proxy. Loopback always is. */
import { BlockList, isIP, isIPv4 } from 'node:net';
import { domainToASCII } from 'node:url';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

interface Target {
  readonly host: string;
  readonly port: string;
  readonly isAddress: boolean;
}

export function isDirect(url: URL, noProxy: string): boolean {
  const host = withoutBrackets(url.hostname);
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  const target = { host, port, isAddress: isIP(host) !== 0 };
  if (host === 'localhost' || (target.isAddress && contains(loopback, host))) return true;
  return noProxy.split(',').some((entry) => letsOut(entry.trim().toLowerCase(), target));
}

/** One entry: `*`, `10.0.0.0/8`, `10.1.2.3`, `example.com` (and below), `.example.com` (only below); a port may follow. */
function letsOut(entry: string, { host, port, isAddress }: Target): boolean {
  if (entry === '*') return true;
  const [, network = '', bits = ''] = /^(.+)\/(\d+)$/.exec(entry) ?? [];
  if (isIP(network)) return isAddress && inSubnet(host, network, Number(bits));
  const [, name = entry, onlyPort] = isIP(entry) ? [] : (/^(.*):(\d+)$/.exec(entry) ?? []);
  if (onlyPort !== undefined && onlyPort !== port) return false;
  const address = withoutBrackets(name);
  if (isIP(address)) return isAddress && inSubnet(host, address, isIPv4(address) ? 32 : 128);
  if (isAddress || name === '') return false;
  const [, dot = '', domain = ''] = /^(?:\*(?=\.))?(\.?)(.*)$/.exec(name) ?? [];
  const below = `.${domainToASCII(domain)}`;
  return host.endsWith(below) || (dot === '' && `.${host}` === below);
}

function withoutBrackets(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}

function inSubnet(host: string, network: string, bits: number): boolean {
  if (bits > (isIPv4(network) ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(network, bits, familyOf(network));
  return contains(list, host);
}

function contains(list: BlockList, address: string): boolean {
  return list.check(address, familyOf(address));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv4(address) ? 'ipv4' : 'ipv6';
}
