/**
 * How Go builds what the tests need. kubectl, helm and the control plane share packages, and Go builds a package once for
 * all who ask with the same flags. The programs are optimised as usual, since benchmarks run them as well.
 */

/** Nobody debugs them: a tenth less to compile. */
export const GO_BUILD_FLAGS = ['-gcflags=all=-dwarf=false'];

/** The compiler collects its garbage less often: an eighth less work. */
export const goBuildEnvironment = () => ({ ...process.env, GOGC: process.env.GOGC ?? '400' });
