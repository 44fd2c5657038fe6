/**
 * One request and the answer to it, as values: what cases judge, and what a failure prints.
 */
import { differences, exactly } from './match.ts';

export interface Sent {
  readonly method: string;
  /** Path with query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string | undefined;
}

/** The fields of Kubernetes objects that cases read to go on with; everything else is only matched. */
export interface Body {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: Metadata;
  readonly items: readonly Body[];
  readonly spec: Fields;
  readonly status: Fields;
  readonly [field: string]: unknown;
}

export type Fields = Readonly<Record<string, unknown>>;

interface Metadata {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  readonly continue?: string;
  readonly remainingItemCount?: number;
  readonly finalizers?: readonly string[];
  readonly deletionTimestamp?: string;
  readonly creationTimestamp: string;
  readonly managedFields?: readonly ManagedFields[];
  readonly [field: string]: unknown;
}

interface ManagedFields {
  readonly manager: string;
  readonly operation: string;
  readonly time: string;
  readonly [field: string]: unknown;
}

/** What a `Status` of refusal says; `details` is compared whole. */
export interface Refusal {
  readonly code: number;
  readonly reason: string | undefined;
  readonly message: unknown;
  readonly details?: unknown;
}

/** The server's answer is not the expected one. */
export class Disagreement extends Error {
  override readonly name = 'Disagreement';
  /** The request and the answer. */
  readonly exchange: string;

  constructor(message: string, exchange: string) {
    super(message);
    this.exchange = exchange;
  }
}

export class Answer {
  readonly sent: Sent;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;

  constructor(sent: Sent, status: number, headers: Answer['headers'], text: string) {
    this.sent = sent;
    this.status = status;
    this.headers = headers;
    this.text = text;
  }

  /** The body as an object of Kubernetes. */
  get body(): Body {
    try {
      return JSON.parse(this.text) as Body;
    } catch {
      throw this.disagreement('the body is not JSON');
    }
  }

  /** The texts of the Warning headers, in order. */
  get warnings(): string[] {
    const { warning } = this.headers;
    return warning === undefined ? [] : Array.isArray(warning) ? warning : [warning];
  }

  /** Succeeds if the status is this one and the body is like `expected`; gives the body. */
  is(status: number, expected?: unknown): Body {
    if (this.status !== status) throw this.disagreement(`expected status ${status}, got ${this.status}`);
    if (expected !== undefined) this.judge(this.body, expected);
    return this.text.startsWith('{') ? this.body : ({} as Body);
  }

  /** Succeeds if the server refused with exactly this Status. */
  refuses({ code, reason, message, details }: Refusal): void {
    this.is(code);
    this.has('content-type', 'application/json');
    this.judge(
      this.body,
      exactly({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message,
        ...(reason === undefined ? {} : { reason }),
        ...(details === undefined ? {} : { details }),
        code,
      }),
    );
  }

  /** Succeeds if the header is like this; `undefined` means that it must be absent. */
  has(header: string, expected: unknown): void {
    this.judge(this.headers[header], expected, `header ${header}`);
  }

  /** Succeeds if `actual`, which came out of this answer, is like `expected`. */
  judge(actual: unknown, expected: unknown, at = ''): void {
    const lines = differences(actual, expected, at);
    if (lines.length > 0) throw this.disagreement(lines.join('\n'));
  }

  disagreement(message: string): Disagreement {
    return new Disagreement(message, `${describeSent(this.sent)}\n${this.describe()}`);
  }

  private describe(): string {
    const interesting = ['content-type', 'warning', 'retry-after', 'etag', 'cache-control'];
    const headers = interesting.flatMap((name) => {
      const value = this.headers[name];
      return value === undefined ? [] : [`< ${name}: ${value}`];
    });
    return [`< ${this.status}`, ...headers, `< ${shorten(this.text)}`].join('\n');
  }
}

export function describeSent({ method, target, headers, body }: Sent): string {
  const lines = Object.entries(headers).map(([name, value]) =>
    name === 'authorization' ? '> authorization: …' : `> ${name}: ${value}`,
  );
  return [`> ${method} ${target}`, ...lines, ...(body === undefined ? [] : [`> ${shorten(body)}`])].join('\n');
}

export function shorten(text: string): string {
  const limit = 6000;
  return text.length > limit ? `${text.slice(0, limit)}… (${text.length} characters)` : text.trimEnd();
}
