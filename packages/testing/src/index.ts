export { type ConversionOptions, type ConversionReport, conversions } from './conversions/conversions.ts';
export type { Fault, FaultOptions, Faults } from './faults.ts';
export type { Misbehaviour, OperatorProgram, ProgramProcess, Replica } from './replica.ts';
export { seededRandom } from './seeded-random.ts';
export { type StartClusterOptions, startCluster, type TestCluster } from './start-cluster.ts';
export { VirtualClock, type VirtualClockOptions } from './virtual-clock.ts';
