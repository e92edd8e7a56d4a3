/** On a component: `lint.everynode.dev/privileged: loads a kernel module`. */
export const SILENCE_PREFIX = 'lint.everynode.dev/';

export const silencePath = (name: string): readonly string[] => ['metadata', 'annotations', `${SILENCE_PREFIX}${name}`];
