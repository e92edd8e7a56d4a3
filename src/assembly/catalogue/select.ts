/**
 * The one reader of `--controllers`, in kube-controller-manager's syntax: `*` is every controller that runs by default, `name`
 * switches one on, `-name` off, and the first entry that names a controller counts. Without `*` only named controllers run.
 */
import { nearest } from '../../core/kube/nearest-word.ts';
import type { Actor } from '../../machinery/actor.ts';
import { AssemblyError } from '../common/errors.ts';
import { CATALOGUE } from './catalogue.ts';
import type { Catalogue, ControllerRow, GivenIn, Place, Profile } from './entry.ts';

const ALL_CONTROLLERS: readonly string[] = ['*'];

/** A controller that runs in a profile, with its place there. */
export interface Chosen<P extends Profile> {
  readonly row: ControllerRow;
  readonly place: Place<P>;
}

/** Entries of a comma-separated list, as the flag has them. */
export const readSelection = (list: string): readonly string[] =>
  list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

/** Controllers that a profile can run, in the order of the catalogue. */
export function placesIn<P extends Profile>(profile: P, catalogue: Catalogue = CATALOGUE): readonly Chosen<P>[] {
  return catalogue.flatMap((row) => {
    const place = row.profiles[profile];
    return place === undefined ? [] : [{ row, place }];
  });
}

/** Canonical names that a selection for the profile may list. */
export const selectableNames = (profile: Profile, catalogue: Catalogue = CATALOGUE): readonly string[] =>
  placesIn(profile, catalogue)
    .filter(({ place }) => place.runs !== 'always')
    .map(({ row }) => row.name);

/** Controllers that run, in the order of the catalogue. Throws for a name that the profile does not know. */
export function selectControllers<P extends Profile>(
  profile: P,
  selection: readonly string[] = ALL_CONTROLLERS,
  catalogue: Catalogue = CATALOGUE,
): readonly Chosen<P>[] {
  const places = placesIn(profile, catalogue);
  const rows = new Map<string, ControllerRow>();
  for (const { row, place } of places)
    if (place.runs !== 'always') for (const name of [row.name, ...row.aliases]) rows.set(name, row);
  const named = new Map<ControllerRow, boolean>();
  for (const entry of selection) {
    if (entry === '*') continue;
    const isOn = !entry.startsWith('-');
    const name = isOn ? entry : entry.slice(1);
    const row = rows.get(name);
    if (row === undefined) throw unknown(name, [...rows.keys()], selectableNames(profile, catalogue));
    if (!named.has(row)) named.set(row, isOn);
  }
  const hasStar = selection.includes('*');
  return places.filter(
    ({ row, place: { runs } }) => runs === 'always' || (named.get(row) ?? (hasStar && runs === 'default')),
  );
}

/** One new actor of each chosen controller. */
export const createControllers = <P extends Profile>(
  chosen: readonly Chosen<P>[],
  given: GivenIn[P],
): readonly Actor[] => chosen.map(({ place }) => place.create(given));

function unknown(name: string, words: readonly string[], canonical: readonly string[]): AssemblyError {
  const near = nearest(name, words);
  const hint = near === undefined ? '' : `; did you mean "${near}"?`;
  return new AssemblyError(
    'EN_ASSEMBLY_UNKNOWN_CONTROLLER',
    `"${name}" is not in the list of known controllers: ${canonical.join(', ')}${hint}`,
  );
}
