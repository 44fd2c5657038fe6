/**
 * Cost of expressions, in the API server's units: one for each step, and more for what walks over texts and lists.
 *
 * Numbers stop at 2^64, as the server's do; above 2^53 they are rounded, which no limit comes near.
 */
import type { Type } from './types.ts';
import type { Value } from './values.ts';

/** From the least to the most: of a cost, or of a size in items, characters or bytes. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

const limit = 2 ** 64;
const capped = (value: number): number => Math.min(value, limit);

/** Nothing. */
export const none: Range = { min: 0, max: 0 };
/** One step. */
export const one: Range = { min: 1, max: 1 };
/** Anything. */
export const unknown: Range = { min: 0, max: limit };

/** No more and no less. */
export const exactly = (value: number): Range => ({ min: value, max: value });

/** One after the other. */
export function plus(...ranges: readonly Range[]): Range {
  return ranges.reduce((a, b) => ({ min: capped(a.min + b.min), max: capped(a.max + b.max) }), none);
}

/** The one for each of the other. */
export function times(a: Range, b: Range): Range {
  return { min: capped(a.min * b.min), max: capped(a.max * b.max) };
}

/** Times a factor with a fraction, rounded up. */
export function scaled(range: Range, factor: number): Range {
  return { min: capped(Math.ceil(range.min * factor)), max: capped(Math.ceil(range.max * factor)) };
}

/** Either of the two. */
export function union(a: Range, b: Range): Range {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}

/** Per character that is walked over. */
export const perCharacter = 0.1;
/** Per character of a regular expression, for each character that it is applied to. */
export const perPatternCharacter = 0.25;
/** For making a list. */
export const listCost = 10;
/** For making a map. */
export const mapCost = 30;
/** For making a value of a type with fields. */
export const structCost = 40;

/** An argument of a call, as far as its size is known. */
export interface Sized {
  readonly type: Type;
  readonly size: Range;
  /** The size of a list's items. */
  readonly itemSize: Range;
  /** A number that stands in the expression. */
  readonly literal: unknown;
}

interface Estimated {
  readonly cost: Range;
  /** The size of the result, if it is a text or a list. */
  readonly size?: Range;
}

/** What a call may cost; the receiver of a method is the first argument. */
export type CallEstimate = (...args: readonly Sized[]) => Estimated;

/** What a call has cost. */
export type CallCost = (args: readonly Value[], result: Value) => number;
