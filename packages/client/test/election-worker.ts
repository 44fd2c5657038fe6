/** Runs schedules away from the test runner, which follows every promise and makes this ten times slower. */
import { parentPort, workerData } from 'node:worker_threads';
import { assertOneLeader } from './election-schedules.ts';

parentPort?.postMessage(await assertOneLeader(workerData as number));
