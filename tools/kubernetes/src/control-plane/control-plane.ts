/**
 * The control plane: etcd, the API server, the controller manager and the scheduler, as processes of the ledger.
 *
 * Promises: `start` returns when /readyz is ok and the namespace `default` can run pods, or, if no controller is to see
 * to that, exists; a program that ends meanwhile is named, with the reason from its log, at once and not after a timeout.
 */
import { mkdirSync } from 'node:fs';
import type { Programs } from '../binaries/lookup.ts';
import type { Program } from '../binaries/programs.ts';
import type { Layout } from '../cluster-directory/layout.ts';
import type { Context } from '../machine/context.ts';
import { UserFacingError } from '../machine/user-facing-error.ts';
import { until } from '../machine/wait.ts';
import { createPki, type Pki, writePrivately } from '../pki/pki.ts';
import { logHint, requireRunning } from '../processes/failure-reason.ts';
import { launch, type Started, stop } from '../processes/ledger.ts';
import { signalProcess } from '../processes/process-table.ts';
import type { Command } from '../processes/run.ts';
import {
  type ApiServerOptions,
  apiServerCommand,
  auditPolicy,
  controllerManagerCommand,
  etcdCommand,
  type Ports,
  schedulerCommand,
} from './commands.ts';
import { attempt, type Caller, call } from './https.ts';

export interface ControlPlaneOptions {
  readonly layout: Layout;
  readonly programs: Programs;
  readonly ports: Ports;
  readonly apiServer: ApiServerOptions;
  /** Names and addresses by which clients call the API server. */
  readonly apiServerHosts: readonly string[];
  /** Those of the controller manager, all by default; `false`: no controller manager and no scheduler. */
  readonly controllers: readonly string[] | false | undefined;
  /** More flags for the controller manager. */
  readonly controllerManagerFlags: readonly string[];
}

const readyWithinMs = 300_000;

/**
 * Busybox's wget names no signature algorithms, which in TLS 1.2 stands for SHA-1, and Go refuses that since 1.25.
 * Allowing it lets the plainest of pods ask the API server something.
 */
const forBusybox = 'tlssha1=1';

export class ControlPlane {
  readonly server: string;
  readonly #options: ControlPlaneOptions;
  readonly #context: Context;
  readonly #running = new Map<string, Started>();
  #pki: Pki | undefined;

  constructor(options: ControlPlaneOptions, context: Context) {
    this.#options = options;
    this.#context = context;
    this.server = `https://${options.apiServer.address}:${options.ports.apiServer}`;
  }

  get pki(): Pki {
    if (!this.#pki) throw new TypeError('the control plane has not been started');
    return this.#pki;
  }

  async start(): Promise<void> {
    const { layout, programs, ports, apiServerHosts, controllers, controllerManagerFlags: flags } = this.#options;
    this.#pki = await createPki({ layout, server: this.server, apiServerHosts }, this.#context);
    writePrivately(layout.auditPolicy, auditPolicy);
    mkdirSync(layout.etcdData, { mode: 0o700 });
    this.#launch('etcd', (path) => etcdCommand(path, layout, ports));
    await this.startApiServer(); // before its roles are in place, the next two would be forbidden to start
    if (controllers !== false) {
      this.#launch('kube-controller-manager', (path) =>
        controllerManagerCommand(path, layout, ports, controllers, flags),
      );
      this.#launch('kube-scheduler', (path) => schedulerCommand(path, layout, ports));
      await this.eventually('/healthz of the controller manager', async () => {
        const answer = await attempt(this.caller, `https://127.0.0.1:${ports.controllerManager}/healthz`);
        return answer?.status === 200 ? true : undefined;
      });
    }
    const awaited = makesServiceAccounts(controllers) ? '/serviceaccounts/default' : '';
    await this.eventually(`namespaces/default${awaited} of Kubernetes ${programs.version}`, async () => {
      const answer = await this.get(`/api/v1/namespaces/default${awaited}`);
      return answer?.status === 200 ? true : undefined;
    });
  }

  /** Returns when /readyz is ok. */
  async startApiServer(): Promise<void> {
    const { layout, ports, apiServer } = this.#options;
    this.#launch('kube-apiserver', (path) => apiServerCommand(path, layout, ports, apiServer));
    await this.eventually('/readyz of the API server', async () => {
      const answer = await this.get('/readyz');
      return answer?.status === 200 ? true : undefined;
    });
  }

  /** Returns when the process has ended. Stopping it twice changes nothing. */
  async stopApiServer(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const started = this.#running.get('kube-apiserver');
    this.#running.delete('kube-apiserver');
    // An API server that ends in order finishes what it has accepted, which may take a minute.
    if (started) await stop([started], signal, this.#context.clock, 300_000);
  }

  signalApiServer(signal: 'SIGSTOP' | 'SIGCONT'): void {
    const started = this.#running.get('kube-apiserver');
    if (started) signalProcess(started.identity, signal);
  }

  /** Drops all history before the present revision, and returns that revision. */
  async compactEtcd(): Promise<number> {
    const { ports } = this.#options;
    const { etcdAuthority, etcdClient } = this.pki;
    const caller = { certificateAuthority: etcdAuthority, identity: etcdClient, clock: this.#context.clock };
    const post = async (path: string, body: unknown): Promise<string> => {
      const answer = await call(caller, `https://127.0.0.1:${ports.etcd}${path}`, body);
      if (answer.status !== 200)
        throw new UserFacingError(`etcd answered ${path} with ${answer.status}: ${answer.body}`);
      return answer.body;
    };
    const anyKey = Buffer.from('\0').toString('base64');
    const range = await post('/v3/kv/range', { key: anyKey, range_end: anyKey, limit: '1', keys_only: true });
    const { header } = JSON.parse(range) as { header: { revision: string } };
    await post('/v3/kv/compaction', { revision: header.revision, physical: true });
    return Number(header.revision);
  }

  /** An answer of the API server to its administrator, or nothing while it does not answer. */
  get(path: string) {
    return attempt(this.caller, `${this.server}${path}`);
  }

  get caller(): Caller {
    const { cluster, admin } = this.pki;
    return { certificateAuthority: cluster.certificate, identity: admin, clock: this.#context.clock };
  }

  /** Waits for the answer of `probe`, unless one of the programs ends. */
  eventually<T>(what: string, probe: () => Promise<T | undefined>): Promise<T> {
    const { clock, signal } = this.#context;
    const watched = async () => {
      for (const started of this.#running.values()) requireRunning(started);
      return await probe();
    };
    const hint = () => logHint([...this.#running.values()].at(-1));
    return until(watched, { clock, signal, what, deadlineMs: readyWithinMs, hint });
  }

  #launch(program: Program, command: (path: string) => Command): void {
    const { layout, programs } = this.#options;
    const env = { PATH: this.#context.env.PATH, HOME: layout.directory, GODEBUG: forBusybox };
    this.#running.set(program, launch(layout.ledger, program, command(programs.path(program)), { env }));
  }
}

/** Without it, a namespace has no service account, and the API server admits no pod to it. */
const serviceAccountController = 'serviceaccount-controller';

function makesServiceAccounts(controllers: readonly string[] | false | undefined): boolean {
  if (controllers === undefined || controllers === false) return controllers === undefined;
  if (controllers.includes(`-${serviceAccountController}`)) return false;
  return controllers.some((name) => name === '*' || name === serviceAccountController);
}
