/** Where everynode keeps its things when nobody says otherwise. */
import { homedir } from 'node:os';
import { join } from 'node:path';

const home = (): string => process.env['EVERYNODE_HOME'] ?? join(homedir(), '.everynode');

export const defaultDataDir = (): string => join(home(), 'cluster');
export const defaultKubeconfig = (): string => join(home(), 'kubeconfig');
