/**
 * The catalogue: every controller, one row each. Profiles (`everynode up`, `everynode operator`, simulations), help texts, roles,
 * chart values and documentation are made from it. Everything that takes a catalogue takes this one unless given another, which
 * tests do to show that no other source file needs to know a new controller. Beside the row it needs its folder in control/, the
 * files that `npm run generate` and `npm run generate:deploy` write, and, where the operator runs it, a scenario for the test of its
 * rights.
 */
import { ACCESS_CONTROLLERS } from './access.ts';
import { DAEMON_CONTROLLERS } from './daemons.ts';
import type { Catalogue } from './entry.ts';
import { HOUSE_KEEPERS } from './house-keepers.ts';
import { RESERVATION_CONTROLLERS } from './reservation.ts';
import { STORAGE_CONTROLLERS } from './storage.ts';
import { WORKLOAD_CONTROLLERS } from './workloads.ts';

/** In the order in which profiles create them; the order of simulated actors is part of what a seed means. */
export const CATALOGUE: Catalogue = [
  ...DAEMON_CONTROLLERS,
  ...HOUSE_KEEPERS,
  ...STORAGE_CONTROLLERS,
  ...ACCESS_CONTROLLERS,
  ...WORKLOAD_CONTROLLERS,
  ...RESERVATION_CONTROLLERS,
];
