/**
 * Brings a cluster up.
 *
 * Promises: returns when it is ready; on any failure or abort, everything it started is taken down again first.
 */
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { findPrograms, type Programs } from '../binaries/lookup.ts';
import type { Layout } from '../cluster-directory/layout.ts';
import { type ClusterRecord, claimCluster, type Ready, writeRecord } from '../cluster-directory/record.ts';
import { type Ports, serviceAddress } from '../control-plane/commands.ts';
import { ControlPlane } from '../control-plane/control-plane.ts';
import { freePort, freePorts, requireFreePort } from '../control-plane/ports.ts';
import { debianRoot } from '../debian/packages.ts';
import type { Context } from '../machine/context.ts';
import { clustersDirectory } from '../machine/directories.ts';
import { requireDiskSpace } from '../machine/disk-space.ts';
import { UserFacingError } from '../machine/user-facing-error.ts';
import { Node } from '../node/node.ts';
import { programsFor, requireAvailable, thisMachine } from './availability.ts';
import { sweep, takeDown } from './down.ts';

export interface UpOptions {
  readonly name: string;
  /** Whether the cluster is to be taken down when this process ends without doing so. */
  readonly private: boolean;
  readonly pods: boolean;
  readonly auditLog: boolean;
  readonly version: string | undefined;
  /** Of the API server; without it, a free one. */
  readonly port: number | undefined;
  readonly apiServerFlags: readonly string[];
  /** Those of the controller manager, all by default; `false`: no controller manager and no scheduler. */
  readonly controllers: readonly string[] | false | undefined;
  readonly controllerManagerFlags: readonly string[];
}

export interface RunningCluster {
  readonly layout: Layout;
  readonly record: ClusterRecord & { readonly ready: Ready };
  readonly programs: Programs;
  readonly controlPlane: ControlPlane;
  /** Present with pods. */
  readonly node: Node | undefined;
}

/** A control plane with a few thousand objects stays far below. */
const neededBytes = 0.3e9;
const loopback = '127.0.0.1';

export async function bringUp(options: UpOptions, context: Context): Promise<RunningCluster> {
  const { env, clock } = context;
  if (options.pods && options.controllers === false) {
    throw new UserFacingError('Pods need controllers: nothing would bind them to the node, or let it become ready.');
  }
  await requireAvailable(options, thisMachine(env));
  await sweep(context);
  if (options.port !== undefined && !options.pods) await requireFreePort(loopback, options.port);
  const programs = await findPrograms(programsFor(options), options.version, context);
  const debian = options.pods ? await debianRoot(context) : undefined;
  await requireDiskSpace(clustersDirectory(env), neededBytes, 'a cluster');

  const startedAt = clock.monotonic();
  const { layout, record } = claimCluster({ ...options, version: programs.version }, context);
  try {
    mkdirSync(layout.programs);
    symlinkSync(programs.path('kubectl'), join(layout.programs, 'kubectl'));
    const { cgroup, macAddress } = record;
    const node = debian && (await Node.create({ layout, programs, debian, cgroup, macAddress }, context));
    const address = node?.network.hostAddress ?? loopback;
    const controlPlane = new ControlPlane(
      {
        layout,
        programs,
        ports: await choosePorts(address, options.port),
        apiServer: { address, auditLog: options.auditLog, flags: options.apiServerFlags },
        apiServerHosts: apiServerHosts(address),
        controllers: options.controllers,
        controllerManagerFlags: options.controllerManagerFlags,
      },
      context,
    );
    await both(controlPlane.start(), node?.startContainerd());
    await node?.join(controlPlane);
    const ready: Ready = {
      server: controlPlane.server,
      pods: options.pods,
      auditLog: options.auditLog,
      startupMs: Math.round(clock.monotonic() - startedAt),
    };
    writeRecord(layout, { ...record, ready });
    return { layout, record: { ...record, ready }, programs, controlPlane, node };
  } catch (error) {
    await takeDown({ layout, record }, context);
    throw error;
  }
}

async function choosePorts(address: string, asked: number | undefined): Promise<Ports> {
  if (asked !== undefined) await requireFreePort(address, asked);
  const ports = await freePorts(loopback, 5);
  const [etcd = 0, etcdPeers = 0, controllerManager = 0, scheduler = 0, onLoopback = 0] = ports;
  const free = address === loopback ? onLoopback : await freePort(address);
  return { apiServer: asked ?? free, etcd, etcdPeers, controllerManager, scheduler };
}

/** Waits for both even if one fails: what is still under way would otherwise write into what is being removed. */
async function both(first: Promise<void>, second: Promise<void> | undefined): Promise<void> {
  const failed = (await Promise.allSettled([first, second])).find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}

function apiServerHosts(address: string): string[] {
  const names = ['kubernetes', 'kubernetes.default', 'kubernetes.default.svc', 'kubernetes.default.svc.cluster.local'];
  return [...new Set([loopback, 'localhost', address, serviceAddress, ...names])];
}
