/**
 * npm ends without telling anybody when it is killed, and between it and us stands a shell that does not notice: a
 * server nobody knows of would hold its port and data for ever. So we look, now and then, whether both are still there.
 */
import { readFileSync } from 'node:fs';

const EVERY_MS = 1000;

/** The parent of a process, where the system tells; otherwise always the same answer. */
function parentOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name before it stands in parentheses and may itself contain any character.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return 0;
  }
}

/** Calls `act` once when the process that started us, or the one that started that, is gone. */
export function whenOrphaned(act, { everyMs = EVERY_MS } = {}) {
  const parent = process.ppid;
  const grandparent = parentOf(parent);
  const timer = setInterval(() => {
    if (process.ppid === parent && parentOf(parent) === grandparent) return;
    clearInterval(timer);
    act();
  }, everyMs);
  timer.unref();
}
