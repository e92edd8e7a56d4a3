/** The policy of a namespace, as its labels say. Pure. */
import { field, type FieldError, invalid } from '../../kube/field-errors.ts';

export type Level = 'privileged' | 'baseline' | 'restricted';

export interface LevelVersion {
  readonly level: Level;
  /** The minor of Kubernetes 1 whose rules count; Infinity is the latest. */
  readonly version: number;
}

export interface Policy {
  readonly enforce: LevelVersion;
  readonly audit: LevelVersion;
  readonly warn: LevelVersion;
}

export type Mode = keyof Policy;

const LATEST = Number.POSITIVE_INFINITY;
const PRIVILEGED: LevelVersion = { level: 'privileged', version: LATEST };
export const PRIVILEGED_POLICY: Policy = { enforce: PRIVILEGED, audit: PRIVILEGED, warn: PRIVILEGED };

const LEVELS: readonly string[] = ['privileged', 'baseline', 'restricted'];
const PREFIX = 'pod-security.kubernetes.io/';

const versionText = (version: number): string => (version === LATEST ? 'latest' : `v1.${version}`);
export const levelText = ({ level, version }: LevelVersion): string => `${level}:${versionText(version)}`;

/** Negative, zero or positive as a is less, equally or more strict than b. */
export const compareLevels = (a: Level, b: Level): number => LEVELS.indexOf(a) - LEVELS.indexOf(b);

export const isSameLevel = (a: LevelVersion, b: LevelVersion): boolean =>
  a.level === b.level && a.version === b.version;

export const isPrivileged = ({ enforce, audit, warn }: Policy): boolean =>
  enforce.level === 'privileged' && audit.level === 'privileged' && warn.level === 'privileged';

type Labels = { readonly [key: string]: string } | undefined;

export interface ReadPolicy {
  /** Always usable: an unreadable level counts as restricted for enforce, and as privileged for audit and warn. */
  readonly policy: Policy;
  readonly errors: readonly FieldError[];
}

export function readPolicy(labels: Labels, defaults: Policy): ReadPolicy {
  if (labels === undefined) return { policy: defaults, errors: [] };
  const errors: FieldError[] = [];
  let isEnforceSaid = false;
  const read = (mode: Mode): LevelVersion => {
    let { level, version } = defaults[mode];
    const levelLabel = labels[`${PREFIX}${mode}`];
    if (levelLabel !== undefined) {
      if (LEVELS.includes(levelLabel)) {
        level = levelLabel as Level;
        if (mode === 'enforce') isEnforceSaid = true;
      } else {
        level = mode === 'enforce' ? 'restricted' : 'privileged';
        complain(mode, levelLabel, `must be one of ${LEVELS.join(', ')}`);
      }
    }
    const versionLabel = labels[`${PREFIX}${mode}-version`];
    if (versionLabel !== undefined) {
      const parsed = parseVersion(versionLabel);
      version = parsed ?? LATEST;
      if (parsed === undefined) complain(`${mode}-version`, versionLabel, 'must be "latest" or "v1.x"');
    }
    return { level, version };
  };
  const complain = (name: string, value: string, why: string): void =>
    void errors.push(invalid(field.key('metadata.labels', PREFIX + name), value, why));

  const enforce = read('enforce');
  const audit = read('audit');
  const said = read('warn');
  // Without a warn label, warnings follow the enforce label if that is stricter.
  const follows =
    labels[`${PREFIX}warn`] === undefined && isEnforceSaid && compareLevels(enforce.level, said.level) > 0;
  const version = labels[`${PREFIX}warn-version`] === undefined ? enforce.version : said.version;
  const warn = follows ? { level: enforce.level, version } : said;
  return { policy: { enforce, audit, warn }, errors };
}

function parseVersion(text: string): number | undefined {
  if (text === 'latest') return LATEST;
  const match = /^v1\.(0|[1-9][0-9]{0,8})$/.exec(text);
  return match === null ? undefined : Number(match[1]);
}
