/**
 * One run of the suite against one server: what all cases may ask of it.
 */
import { systemClock, systemRandom } from '@keelson/core/system';
import { Api } from './api.ts';
import { cleanUp } from './clean-up.ts';
import type { Connection } from './kubeconfig.ts';

const controllersDeadlineMs = 60_000;

export interface SessionOptions {
  /** Makes the server forget its history; without it the cases that need this are skipped. */
  readonly compact?: (() => Promise<unknown>) | undefined;
}

export class Session implements AsyncDisposable {
  readonly api: Api;
  readonly compact: (() => Promise<unknown>) | undefined;
  /** The same server, asked by nobody in particular: no certificate, no token. */
  readonly stranger: Api;
  readonly #shared = new Map<string, Promise<unknown>>();
  readonly #made: string[] = [];
  readonly #idle: string[] = [];
  readonly #endings: (() => Promise<unknown>)[] = [];

  constructor(connection: Connection, { compact }: SessionOptions = {}) {
    this.api = new Api(connection);
    this.stranger = new Api({ ...connection, clientCertificate: undefined, clientKey: undefined, token: undefined });
    this.compact = compact;
  }

  /** Whether kube-controller-manager or its like runs; that it does not is known after some seconds. */
  get hasControllers(): Promise<boolean> {
    return this.share('controllers', () => this.#detectControllers());
  }

  /** Whether the admission plugin OwnerReferencesPermissionEnforcement is on. */
  get hasOwnerPermissions(): Promise<boolean> {
    return this.share('owner permissions', (made) => this.#detectOwnerPermissions(made));
  }

  /** Makes something once for the whole run. */
  share<T>(key: string, make: (made: string[]) => Promise<T>): Promise<T> {
    const present = this.#shared.get(key) ?? make(this.#made);
    this.#shared.set(key, present);
    return present as Promise<T>;
  }

  /**
   * A namespace that is the borrower's alone until it is given back, empty. Deleting one costs a cluster seconds, and
   * hundreds of them would keep it busy for minutes.
   */
  async borrowNamespace(): Promise<string> {
    const idle = this.#idle.pop();
    if (idle !== undefined) return idle;
    const name = uniqueName('case');
    (await this.api.send('POST', '/api/v1/namespaces', { body: { metadata: { name } } })).is(201);
    this.#made.push(`/api/v1/namespaces/${name}`);
    return name;
  }

  giveBackNamespace(name: string): void {
    this.#idle.push(name);
  }

  /** Does this when the run is over. */
  atEnd(ending: () => Promise<unknown>): void {
    this.#endings.push(ending);
  }

  /** Resolves with what is left behind although it should not be. */
  async close(): Promise<string[]> {
    try {
      return await cleanUp(this, this.#made);
    } finally {
      for (const ending of this.#endings) await ending();
      await this.stranger[Symbol.asyncDispose]();
      await this.api[Symbol.asyncDispose]();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Somebody who may write in a namespace, and has nothing to say about nodes, makes something that depends on one. */
  async #detectOwnerPermissions(made: string[]): Promise<boolean> {
    const name = uniqueName('probe');
    const path = `/api/v1/namespaces/${name}`;
    const send = (below: string, body: object) => this.api.send('POST', below, { body });
    (await send('/api/v1/namespaces', { metadata: { name } })).is(201);
    made.push(path);
    const rbac = 'rbac.authorization.k8s.io';
    const roleRef = { apiGroup: rbac, kind: 'ClusterRole', name: 'edit' };
    const binding = { metadata: { name }, roleRef, subjects: [{ kind: 'User', apiGroup: rbac, name }] };
    (await send(`/apis/${rbac}/v1/namespaces/${name}/rolebindings`, binding)).is(201);
    const owner = { apiVersion: 'v1', kind: 'Node', name: 'none', uid: 'none', blockOwnerDeletion: true };
    return await eventually(async () => {
      const answer = await this.api.send('POST', `${path}/configmaps`, {
        query: { dryRun: 'All' },
        headers: { 'impersonate-user': name },
        body: { metadata: { name, ownerReferences: [owner] } },
      });
      if (answer.text.includes('cannot set blockOwnerDeletion')) return true;
      answer.is(201);
      return false;
    });
  }

  async #detectControllers(): Promise<boolean> {
    const name = uniqueName('probe');
    const created = await this.api.send('POST', '/api/v1/namespaces', { body: { metadata: { name } } });
    created.is(201);
    this.#made.push(`/api/v1/namespaces/${name}`);
    const deadline = systemClock.monotonic() + controllersDeadlineMs;
    while (systemClock.monotonic() < deadline) {
      const { status } = await this.api.send('GET', `/api/v1/namespaces/${name}/serviceaccounts/default`);
      if (status === 200) return true;
      await pause(100);
    }
    return false;
  }
}

/** A name that nobody else uses, in this run or another. */
export function uniqueName(prefix: string): string {
  return `${prefix}-${systemRandom.uuid().replaceAll('-', '').slice(0, 12)}`;
}

/** Lets the server work; only for polling. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    systemClock.setTimer(ms, resolve);
  });
}

/** Asks again until the answer passes, and throws its last disagreement if it never does. */
export async function eventually<T>(ask: () => Promise<T>, deadlineMs = 180_000): Promise<T> {
  const deadline = systemClock.monotonic() + deadlineMs;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (systemClock.monotonic() >= deadline) throw error;
    }
    await pause(50);
  }
}
