/** Faults for long: two thousand writes through the proxy by each of three seeds, beginning with `KEELSON_SEED`. */
import { describeFaults } from '../hostile/faults.ts';
import { defaultSeed } from '../hostile/seeded.ts';
import { embeddedServer } from '../suites/embedded-server.ts';

for (let i = 0; i < 3; i++) describeFaults(embeddedServer, { writes: 2000, seed: defaultSeed + i });
