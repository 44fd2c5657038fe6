/**
 * The environment of an operator in an image, whoever makes it: a Dockerfile, or `keelson image build`.
 *
 * V8 would let the part of its heap where objects are born grow to many times these 4 MB, and glibc would give each thread
 * a heap of its own. ADR 37 has what that costs, and what it gains.
 */
export const imageEnvironment = {
  NODE_ENV: 'production',
  NODE_OPTIONS: '--max-semi-space-size=4',
  MALLOC_ARENA_MAX: '1',
} as const;
