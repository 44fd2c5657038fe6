/**
 * How the machine and the node reach each other: a pair of interfaces, one end in each, and a route to the pods.
 *
 * The machine's end is `keelsonN`; creating it is also how the subnet N is claimed, since the kernel lets only one
 * interface have a name. It goes away with the node's network namespace, which holds the other end.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '@keelson/core';
import type { Context, Environment } from '../machine/context.ts';
import { UserFacingError } from '../machine/user-facing-error.ts';
import { until } from '../machine/wait.ts';
import { run, succeed } from '../processes/run.ts';
import type { Namespaces } from './namespaces.ts';

export interface Network {
  readonly interface: string;
  /** The machine's end, where the API server listens. */
  readonly hostAddress: string;
  readonly nodeAddress: string;
  readonly podRange: string;
}

export function networkNumber(number: number): Network {
  return {
    interface: `keelson${number}`,
    hostAddress: `10.245.${number}.1`,
    nodeAddress: `10.245.${number}.2`,
    podRange: `10.244.${number}.0/24`,
  };
}

/** Claims a free subnet and connects the node. `macAddress` marks the interface as this cluster's. */
export async function connectNode(
  namespaces: Namespaces,
  macAddress: string,
  env: Environment,
  { signal }: Context,
): Promise<Network> {
  const taken = takenRanges(await succeed(['ip', '-4', '-o', 'route', 'show', 'table', 'all'], { env, signal }));
  for (let number = 0; number < 256; number += 1) {
    const network = networkNumber(number);
    if ([network.podRange, network.hostAddress].some((range) => taken.some((other) => overlaps(range, other))))
      continue;
    const peer = ['peer', 'name', 'eth0', 'netns', String(namespaces.pid)];
    const added = await run(['ip', 'link', 'add', network.interface, 'address', macAddress, 'type', 'veth', ...peer], {
      env,
      signal,
    });
    if (/File exists/.test(added.stderr)) continue;
    if (added.code !== 0) throw new UserFacingError(`The node cannot be connected: ${added.stderr.trim()}`);
    await configure(namespaces, network, env, signal);
    return network;
  }
  throw new UserFacingError('No subnet of 10.244.0.0/16 is free for pods.');
}

async function configure(
  namespaces: Namespaces,
  { interface: name, hostAddress, nodeAddress, podRange }: Network,
  env: Environment,
  signal: AbortSignal | undefined,
): Promise<void> {
  const host = (...args: string[]) => succeed(['ip', ...args], { env, signal });
  const node = (...args: string[]) =>
    succeed(['nsenter', `--target=${namespaces.pid}`, '--net', '--', 'ip', ...args], { env, signal });
  await host('address', 'add', `${hostAddress}/30`, 'dev', name);
  await host('link', 'set', name, 'up');
  await node('address', 'add', `${nodeAddress}/30`, 'dev', 'eth0');
  await node('link', 'set', 'eth0', 'up');
  // Nothing is forwarded beyond the machine; without the route, service addresses could not even be sent to.
  await node('route', 'add', 'default', 'via', hostAddress);
  await host('route', 'add', podRange, 'via', nodeAddress);
}

/** Returns when no interface with that address is left; the kernel removes it some time after the namespace. */
export async function interfaceGone(macAddress: string, clock: Clock): Promise<void> {
  const isGone = () => !readdirSync(interfaces).some((name) => addressOf(name) === macAddress);
  await until(() => (isGone() ? true : undefined), {
    clock,
    what: 'the end of the interface of the node',
    deadlineMs: 300_000,
    everyMs: 10,
  });
}

const interfaces = '/sys/class/net';

function addressOf(name: string): string | undefined {
  try {
    return readFileSync(join(interfaces, name, 'address'), 'utf8').trim();
  } catch {
    return undefined; // it went away between the two looks
  }
}

/** Destinations of the machine's routes. Very wide ones, such as a default route, are no claim on a subnet. */
export function takenRanges(routes: string): string[] {
  return routes.split('\n').flatMap((line) => {
    const [, range, length] = /^(?:(?:local|broadcast|unicast) )?(\d+\.\d+\.\d+\.\d+(?:\/(\d+))?) /.exec(line) ?? [];
    return range !== undefined && Number(length ?? 32) > 12 ? [range] : [];
  });
}

/** Ranges such as `10.244.0.0/24`; a bare address is a range of one. */
export function overlaps(left: string, right: string): boolean {
  const [a, b] = [parseRange(left), parseRange(right)];
  const shift = 32 - Math.min(a.length, b.length);
  return Math.floor(a.address / 2 ** shift) === Math.floor(b.address / 2 ** shift);
}

function parseRange(range: string): { address: number; length: number } {
  const [address = '', length = '32'] = range.split('/');
  return { address: address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0), length: Number(length) };
}
