/**
 * The lines of a container's log, of what a run has written so far: chosen and shown as the kubelet does it.
 *
 * Promises: a line belongs to the moment at which it was begun. Pure.
 */
import type { ContainerLogRequest } from '@keelson/apiserver';
import type { Run } from './container-life.ts';

export interface LogLine {
  /** Wall time. */
  readonly atMs: number;
  /** With its line feed, if it has one. */
  readonly text: string;
}

/** All lines that the run writes before it ends. */
export function linesOf({ startedAtMs, endedAtMs = Number.POSITIVE_INFINITY, output }: Run): readonly LogLine[] {
  const written = output
    .map(({ afterMs, text }) => ({ atMs: startedAtMs + afterMs, text }))
    .filter(({ atMs }) => atMs <= endedAtMs);
  return written.flatMap(({ atMs, text }) =>
    (text.match(/[^\n]*\n|[^\n]+$/g) ?? []).map((line) => ({ atMs, text: line })),
  );
}

/** Of the lines that are there, those that were asked for. */
export function chosen(
  lines: readonly LogLine[],
  { tailLines, sinceSeconds, sinceTime }: Pick<ContainerLogRequest, 'tailLines' | 'sinceSeconds' | 'sinceTime'>,
  nowMs: number,
): readonly LogLine[] {
  const since =
    sinceTime === undefined ? nowMs - (sinceSeconds ?? Number.POSITIVE_INFINITY) * 1000 : Date.parse(sinceTime);
  const recent = lines.filter(({ atMs }) => atMs >= since);
  return tailLines === undefined ? recent : recent.slice(recent.length - Math.min(tailLines, recent.length));
}

export function shown({ atMs, text }: LogLine, { timestamps }: Pick<ContainerLogRequest, 'timestamps'>): string {
  return timestamps ? `${new Date(atMs).toISOString().replace('Z', '000000Z')} ${text}` : text;
}
