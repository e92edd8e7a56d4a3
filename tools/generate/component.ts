/** Writes the field reference of the KubernetesDaemonSet component from its schema. */
import { fieldReference, REFERENCE_PATH } from './component-reference.ts';

export const generateComponent = (): ReadonlyMap<string, string> => new Map([[REFERENCE_PATH, fieldReference()]]);
