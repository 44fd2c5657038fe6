/** Addresses for pods, from 10.244.0.0/16: one after the other, so that one that was given back is not used again soon. */

const first = 2; // .0 is the network, .1 would be its bridge
const size = 2 ** 16 - 1;

const addressAt = (index: number): string => `10.244.${index >> 8}.${index & 255}`;

/** The next address after `last` that is not in use. */
export function nextAddress(last: string | undefined, used: ReadonlySet<string>): string {
  const [, high = '0', low = '1'] = /^10\.244\.(\d+)\.(\d+)$/.exec(last ?? '') ?? [];
  const start = (Number(high) << 8) + Number(low) + 1;
  for (let step = 0; step < size - first; step++) {
    const address = addressAt(first + ((start - first + step) % (size - first)));
    if (!used.has(address)) return address;
  }
  throw new Error('all addresses of the simulated node are in use');
}
