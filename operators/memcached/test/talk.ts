/** Sends standard input to a memcached on this (network) host and prints its answer; run inside a pod's network. */
import { connect } from 'node:net';

const socket = connect(11211, '127.0.0.1');
process.stdin.pipe(socket);
socket.pipe(process.stdout);
socket.on('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
