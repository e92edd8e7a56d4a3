/** How many files and connections this process may have open at the same time. */
import { readFileSync } from 'node:fs';

const OPEN_FILES = /^Max open files\s+(\d+|unlimited)\s/m;

/** The soft limit in the words of `/proc/self/limits`; undefined where it names none. */
export function openFilesOf(limits: string): number | undefined {
  const soft = OPEN_FILES.exec(limits)?.[1];
  if (soft === undefined) return undefined;
  return soft === 'unlimited' ? Infinity : Number(soft);
}

/** Undefined where the platform does not tell. Node.js raises the soft limit to the hard one at its start. */
export function descriptorLimit(): number | undefined {
  try {
    return openFilesOf(readFileSync('/proc/self/limits', 'utf8'));
  } catch {
    return reportedLimit();
  }
}

interface Report {
  readonly userLimits?: { readonly open_files?: { readonly soft?: number | string } };
}

/** Where there is no /proc (macOS). A report takes some milliseconds to write, so it is the second choice. */
function reportedLimit(): number | undefined {
  const report = process.report as NodeJS.ProcessReport & { excludeNetwork?: boolean };
  const before = report.excludeNetwork;
  try {
    // Looking up the names of peers could take seconds.
    report.excludeNetwork = true;
    const soft = (report.getReport() as Report).userLimits?.open_files?.soft;
    return soft === 'unlimited' ? Infinity : typeof soft === 'number' ? soft : undefined;
  } catch {
    return undefined;
  } finally {
    report.excludeNetwork = before ?? false;
  }
}
