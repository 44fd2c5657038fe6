export { type Area, type Case, casesOf, type Need } from './case.ts';
export { areas } from './cases/index.ts';
export { type Connection, parseKubeconfig, readKubeconfig } from './kubeconfig.ts';
export { type Outcome, type Result, runCase, runCases } from './run.ts';
export { Session, type SessionOptions } from './session.ts';
