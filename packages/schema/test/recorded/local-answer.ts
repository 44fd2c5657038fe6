/** What validation makes of an object, in the form in which a real API server's answers are recorded. */
import type { StructuralSchema } from '@keelson/schema/validation';
import { type Answer, comparable, comparableWarnings } from './recording.ts';

/** A whole object, and the whole object that it replaces. */
export function localAnswer(schema: StructuralSchema, object: object, before?: object, isStatus = false): Answer {
  const { value, pruned, malformed } = schema.prune(object);
  if (malformed !== undefined) return { status: 400, malformed };
  const warnings = pruned.map((path) => `unknown field "${path}"`);
  const filled = schema.default(value) as { readonly status?: unknown };
  const written = isStatus && before !== undefined ? { ...before, status: filled.status } : filled;
  const warn = (text: string) => warnings.push(text);
  const causes = isStatus ? schema.validateStatus(written, before, warn) : schema.validate(written, before, warn);
  const told = comparableWarnings(warnings);
  if (causes.length > 0) return { status: 422, causes: comparable(causes), warnings: told };
  const { apiVersion: _apiVersion, kind: _kind, metadata: _metadata, ...stored } = written as Record<string, unknown>;
  return { status: before === undefined ? 201 : 200, warnings: told, object: stored };
}
