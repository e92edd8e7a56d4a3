/** A problem of a manifest with its place. No problem ever quotes the value of a secret. */
import type { ComponentErrorCode } from './errors.ts';

/** Lines and columns count from 1; a value without them was not written in a file. */
export interface Place {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  /** Path of the `--set` override that gave the value. */
  readonly override?: string;
}

export interface Problem {
  readonly code: ComponentErrorCode;
  /** As the author wrote it: `spec.container.app.volume_mounts[0].name`. */
  readonly path: string;
  readonly message: string;
  readonly expected?: string;
  readonly suggestion?: string;
  readonly place: Place;
}

/** `agent.yaml:12:7` */
export function placeText({ file, line, column, override }: Place): string {
  if (override !== undefined) return `--set ${override}`;
  return line === undefined ? file : `${file}:${line}:${column ?? 1}`;
}

/** `agent.yaml:12:7: spec.namespace: is missing [EN_COMPONENT_REQUIRED]` */
export function problemText({ code, path, message, suggestion, place }: Problem): string {
  const hint = suggestion === undefined ? '' : ` (${suggestion})`;
  const isSaid = path === '' || path === place.override;
  return `${placeText(place)}: ${isSaid ? '' : `${path}: `}${message}${hint} [${code}]`;
}

const lineOf = ({ line }: Place): number => line ?? Number.POSITIVE_INFINITY;
const columnOf = ({ column }: Place): number => column ?? 0;

/** In the order of the file; problems of one place stay as they were found. */
export const inOrder = (problems: readonly Problem[]): readonly Problem[] =>
  problems.toSorted((a, b) => lineOf(a.place) - lineOf(b.place) || columnOf(a.place) - columnOf(b.place) || 0);
