/** Times as metadata carries them: UTC, whole seconds. One string a second, shared by everything written in it. */
import { formatTime } from '../../../core/kube/time.ts';
import type { Clock } from '../../../machinery/time/clock.ts';

export interface Timestamps {
  now(): string;
  /** A point some seconds from now. */
  inSeconds(seconds: number): string;
}

export function createTimestamps(clock: Clock): Timestamps {
  let second = Number.NaN;
  let text = '';
  const now = (): string => {
    const current = Math.floor(clock.now() / 1000);
    if (current !== second) {
      second = current;
      text = formatTime(current * 1000);
    }
    return text;
  };
  return {
    now,
    inSeconds: (seconds) => (seconds === 0 ? now() : formatTime((Math.floor(clock.now() / 1000) + seconds) * 1000)),
  };
}
