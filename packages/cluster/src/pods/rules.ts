/**
 * Which behaviour a pod has: what was said last of those that fit, and before all what the pod's own annotations say.
 *
 * Promises: a change is told at once to those who listen.
 */
import type { Container, Pod } from '@keelson/core/v1';
import {
  annotated,
  assertBehaviour,
  assertSelector,
  type PodBehaviour,
  type PodRule,
  type PodSelector,
} from './behaviour.ts';
import type { PortHandler, SessionHandler } from './sessions.ts';

/** What the simulated node is told about its pods, before or while they run. */
export interface Pods {
  /**
   * Says what pods do from now on, those that run included. Of several rules that fit a container the one said last
   * counts, whole; a rule for the same selector takes the place of the earlier one, and `{}` lets things go well again.
   *
   * @example
   * cluster.pods.set({ image: 'memcached:*' }, { fails: 'ImagePullBackOff' });
   */
  set(selector: PodSelector, behaviour: PodBehaviour): void;
  /**
   * Answers `kubectl exec` from now on, over HTTPS: what the command would write, and its exit code. Of several handlers
   * the last one counts.
   *
   * @example
   * cluster.pods.onExec(({ command, stdout }) => {
   *   stdout.write(`ran ${command.join(' ')}\n`);
   *   return 0;
   * });
   */
  onExec(handler: SessionHandler): void;
  /** The same for `kubectl attach`; without a handler it shows what the container writes. */
  onAttach(handler: SessionHandler): void;
  /**
   * Answers connections that come by `kubectl port-forward` from now on, over HTTPS. Of several handlers the last one
   * counts.
   *
   * @example
   * cluster.pods.onPortForward(async ({ port, input, output }) => {
   *   if (port !== 11211) throw new Error('connection refused');
   *   for await (const _ of input) output.write('VERSION 1.6.26\r\n');
   * });
   */
  onPortForward(handler: PortHandler): void;
}

export interface RulesOptions {
  readonly rules?: readonly PodRule[] | undefined;
  /** Images that can be pulled; all others cannot. @default all can */
  readonly images?: readonly string[] | undefined;
}

export class PodRules implements Pods {
  readonly #rules = new Map<string, { readonly selector: PodSelector; readonly behaviour: PodBehaviour }>();
  readonly #images: readonly RegExp[] | undefined;
  readonly #listeners = new Set<() => void>();
  readonly #handlers = new Map<'exec' | 'attach', SessionHandler>();
  #portHandler: PortHandler | undefined;

  constructor({ rules = [], images }: RulesOptions = {}) {
    this.#images = images?.map(patternOf);
    for (const { match, ...behaviour } of rules) this.set(match, behaviour);
  }

  set(selector: PodSelector, behaviour: PodBehaviour): void {
    assertSelector(selector, 'selector');
    assertBehaviour(behaviour, 'behaviour');
    const key = JSON.stringify(Object.entries(selector).sort(), (_, value: unknown) =>
      value instanceof RegExp ? String(value) : value,
    );
    this.#rules.delete(key); // what is said last comes last
    this.#rules.set(key, { selector, behaviour });
    for (const listener of this.#listeners) listener();
  }

  onExec(handler: SessionHandler): void {
    this.#handlers.set('exec', handler);
  }

  onAttach(handler: SessionHandler): void {
    this.#handlers.set('attach', handler);
  }

  onPortForward(handler: PortHandler): void {
    this.#portHandler = handler;
  }

  get portHandler(): PortHandler | undefined {
    return this.#portHandler;
  }

  handlerOf(type: 'exec' | 'attach'): SessionHandler | undefined {
    return this.#handlers.get(type);
  }

  onChange(listener: () => void, signal: AbortSignal): void {
    this.#listeners.add(listener);
    signal.addEventListener('abort', () => this.#listeners.delete(listener), { once: true });
  }

  /** What the container was told, if anything. */
  behaviourOf(pod: Pod, container: Container, isMain: boolean): PodBehaviour | undefined {
    const own = annotationsOf(pod);
    if (own && concerns(own.match, container, isMain)) return own;
    const said = [...this.#rules.values()]
      .reverse()
      .find(({ selector }) => fits(selector, pod) && concerns(selector, container, isMain));
    return said?.behaviour ?? (this.#canBePulled(container) ? undefined : { fails: 'ImagePullBackOff' });
  }

  /** What no node has for the pod; `undefined` when nothing stands in the way. */
  unschedulable(pod: Pod): string | undefined {
    for (const container of pod.spec.containers) {
      const { fails, message } = this.behaviourOf(pod, container, true) ?? {};
      if (fails === 'Unschedulable') return message ?? 'Insufficient memory';
    }
    return undefined;
  }

  #canBePulled({ image = '' }: Container): boolean {
    return this.#images?.some((each) => each.test(image)) ?? true;
  }
}

/** A pod whose annotations are no behaviour has none from them; the node says so in an Event. */
function annotationsOf({ metadata }: Pod): PodRule | undefined {
  try {
    return annotated(metadata.annotations);
  } catch {
    return undefined;
  }
}

function fits({ namespace, name, labels = {} }: PodSelector, { metadata }: Pod): boolean {
  return (
    (namespace === undefined || namespace === metadata.namespace) &&
    (name === undefined || patternOf(name).test(metadata.name)) &&
    Object.entries(labels).every(([label, value]) => metadata.labels?.[label] === value)
  );
}

function concerns({ container, image }: PodSelector, { name, image: own = '' }: Container, isMain: boolean): boolean {
  if (container !== undefined && container !== name) return false;
  return image === undefined ? isMain || container !== undefined : patternOf(image).test(own);
}

/** In a text, `*` stands for any characters. A RegExp that remembers where it was would not find the same twice. */
function patternOf(pattern: string | RegExp): RegExp {
  if (pattern instanceof RegExp) return new RegExp(pattern, pattern.flags.replace(/[gy]/g, ''));
  return new RegExp(`^${pattern.split('*').map(escaped).join('.*')}$`, 's');
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
