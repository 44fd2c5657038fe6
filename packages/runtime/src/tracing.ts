/**
 * Traces: a span for each pass, by a tracer that is passed in. The interfaces are the part of OpenTelemetry's that is
 * needed, so its tracer fits and nothing is imported for it; without one, nothing is done.
 *
 * The span is active while the author's function runs, so requests to the API server become its children by whatever
 * instruments the process, or by `headers`.
 */

/** A value of a span. */
export type Attribute = string | number | boolean | string[];

/** One span, as OpenTelemetry has it. */
export interface Span {
  setAttribute(name: string, value: Attribute): unknown;
  recordException(error: Error): void;
  setStatus(status: { code: 0 | 1 | 2; message?: string }): unknown;
  end(): void;
}

/** Makes spans, as OpenTelemetry's tracer does. */
export interface Tracer {
  startActiveSpan<T>(name: string, options: { attributes: Record<string, Attribute> }, run: (span: Span) => T): T;
}

/** `SpanStatusCode.ERROR` of OpenTelemetry. */
const failed = 2;

/** Does `work` in a span, if there is a tracer. */
export async function traced<T>(
  tracer: Tracer | undefined,
  name: string,
  attributes: Record<string, Attribute>,
  work: () => Promise<T>,
): Promise<T> {
  if (tracer === undefined) return work();
  return tracer.startActiveSpan(name, { attributes }, async (span) => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Error) span.recordException(error);
      span.setStatus({ code: failed, message: error instanceof Error ? error.message : String(error) });
      throw error;
    } finally {
      span.end();
    }
  });
}
