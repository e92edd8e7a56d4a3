/** Name of the ConfigMap in which the objects of a component are listed. Manifests may not bring one that begins like it. */
export const inventoryName = (component: string): string => `everynode-inventory-${component}`;
