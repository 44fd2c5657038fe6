/** What a Lease says, and what a replica may conclude from it. Pure: times are given. */
import { microTimestamp } from '@keelson/core';
import type { Lease } from '@keelson/core/coordination/v1';

export type LeaseSpec = Lease['spec'];

/** A Lease as we last saw it change, on our own clock: other clocks mean nothing here. */
export interface Observation {
  readonly spec: LeaseSpec;
  /** Monotonic time after the answer that first showed this spec. */
  readonly seenAt: number;
}

export interface Candidate {
  readonly identity: string;
  /** How long a holder is waited for that does not say how long. */
  readonly leaseDurationMs: number;
  readonly monotonicMs: number;
}

/** When the Lease can be had, on our own monotonic clock, unless it is renewed: long ago when no other holds it. */
export function freeAt({ spec, seenAt }: Observation, candidate: Omit<Candidate, 'monotonicMs'>): number {
  const { holderIdentity, leaseDurationSeconds } = spec;
  if (!holderIdentity || holderIdentity === candidate.identity) return Number.NEGATIVE_INFINITY;
  return seenAt + (leaseDurationSeconds === undefined ? candidate.leaseDurationMs : leaseDurationSeconds * 1000);
}

/**
 * Whether someone else may be leading. Its term began before we saw its last renewal, so a whole duration after that
 * it has surely ended.
 */
export function isHeldByOther(observation: Observation, candidate: Candidate): boolean {
  return candidate.monotonicMs < freeAt(observation, candidate);
}

export interface Claim {
  readonly identity: string;
  readonly leaseDurationMs: number;
  readonly wallMs: number;
}

/** The spec with which we take the Lease, or keep it. */
export function claimedSpec(previous: LeaseSpec | undefined, { identity, leaseDurationMs, wallMs }: Claim): LeaseSpec {
  const now = microTimestamp(wallMs);
  const isOurs = previous?.holderIdentity === identity;
  return {
    holderIdentity: identity,
    // Rounded up: others must wait at least as long as we said.
    leaseDurationSeconds: Math.ceil(leaseDurationMs / 1000),
    acquireTime: (isOurs ? previous.acquireTime : undefined) ?? now,
    renewTime: now,
    leaseTransitions: (previous?.leaseTransitions ?? 0) + (previous === undefined || isOurs ? 0 : 1),
  };
}

/** The spec with which we give the Lease back, so that the next candidate need not wait. */
export function releasedSpec({ leaseTransitions }: LeaseSpec, wallMs: number): LeaseSpec {
  const now = microTimestamp(wallMs);
  return { leaseDurationSeconds: 1, acquireTime: now, renewTime: now, leaseTransitions };
}
