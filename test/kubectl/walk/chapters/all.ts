import { access } from './access.ts';
import { clientSideApply, serverSideApply } from './apply.ts';
import { customResources } from './custom-resources.ts';
import { edit, patch, replace } from './change.ts';
import { deletion } from './deletion.ts';
import { discovery, explain } from './discovery.ts';
import { events } from './events.ts';
import { getting } from './getting.ts';
import { nodes } from './nodes.ts';
import { daemonRollout, deploymentRollout, scaling } from './rollout.ts';
import { waiting } from './waiting.ts';
import type { Chapter } from '../walk.ts';

export const chapters: readonly Chapter[] = [
  discovery,
  explain,
  clientSideApply,
  serverSideApply,
  getting,
  edit,
  replace,
  patch,
  nodes,
  daemonRollout,
  deploymentRollout,
  scaling,
  deletion,
  waiting,
  access,
  customResources,
  events,
];
