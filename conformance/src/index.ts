export { Api } from './api.ts';
export { type Area, type Case, casesOf, type Need } from './case.ts';
export { areas } from './cases/index.ts';
export { type Attack, Fuzzer, type FuzzOptions } from './fuzz/fuzz.ts';
export { type Operation, operationsOf } from './fuzz/operations.ts';
export { isRefusalWith500 } from './fuzz/refusals-with-500.ts';
export { type Connection, parseKubeconfig, readKubeconfig } from './kubeconfig.ts';
export { type Outcome, type Result, runCase, runCases } from './run.ts';
export { Session, type SessionOptions } from './session.ts';
