/** undici's declarations name its parts only as members of the whole. */
declare module 'undici/lib/dispatcher/agent.js' {
  import { Agent } from 'undici';

  export = Agent;
}

declare module 'undici/lib/core/connect.js' {
  import { buildConnector } from 'undici';

  export = buildConnector;
}
