/** The house-keepers of access: gathered roles, the authority's certificate in every namespace, signing requests. */
import type { Surroundings } from '../../../machinery/controller/surroundings.ts';

export type AccessKeeperOptions = Surroundings;
