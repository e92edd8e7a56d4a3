/**
 * The rooms of the house and how high each stands. Imports go downward only; rooms of layer 4 never meet. `control/*` is any folder
 * of `control/`: each is a room of its own.
 */
export const ROOMS: readonly { readonly path: string; readonly layer: number }[] = [
  { path: 'core/kube', layer: 0 },
  { path: 'core/api', layer: 1 },
  { path: 'core/placement', layer: 2 },
  { path: 'core/daemons', layer: 3 },
  { path: 'core/component', layer: 3 },
  { path: 'machinery', layer: 2 },
  { path: 'apiserver', layer: 4 },
  { path: 'control/*', layer: 4 },
  { path: 'nodes/fleet', layer: 4 },
  { path: 'assembly', layer: 5 },
  { path: 'foresight/simulation', layer: 6 },
  { path: 'cli', layer: 7 },
];

/**
 * Rooms that must stay free of I/O: of packages and of Node.js only what does none either. `node:crypto` is there for its
 * hashes; its sources of chance are among AMBIENT.
 */
export const PURE_ROOMS = 'core/';
export const PURE_PACKAGES: ReadonlySet<string> = new Set(['croner', 're2js', 'yaml', 'node:crypto']);

/** Upper bound on source files of one folder, tests aside: with more, none is easily found. */
export const FOLDER_LIMIT = 40;

/** The one room that may read clocks, start timers and throw dice. */
export const AMBIENT_ROOM = 'machinery';

/** Expressions that read ambient time or chance, as they appear in code. */
export const AMBIENT: readonly RegExp[] = [
  /\bDate\.now\b/,
  /\bnew Date\(\s*\)/,
  /\bsetTimeout\s*\(/,
  /\bsetInterval\s*\(/,
  /\bsetImmediate\s*\(/,
  /\bperformance\.now\b/,
  /\bhrtime\b/,
  /\bMath\.random\b/,
  /\brandomUUID\b/,
  /\brandomBytes\b/,
  /\bgetRandomValues\b/,
  /\brandom(?:Int|Fill)(?:Sync)?\b/,
  /\bgenerateKey(?:Pair)?(?:Sync)?\b/,
  /\bAbortSignal\.timeout\b/,
  /['"](?:node:)?timers(?:\/promises)?['"]/,
];
