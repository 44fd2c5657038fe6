/** What a project is checked with beside Keelson, and the zod that it defines kinds with: the versions that we test. */
export const toolVersions = { zod: '4.6.7', typescript: '7.0.2', nodeTypes: '22.20.5' } as const;
