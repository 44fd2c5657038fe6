/** The name of one of the Deployments in a namespace. */
export const nameOf = (index: number): string => `storefront-${String(index).padStart(5, '0')}`;
