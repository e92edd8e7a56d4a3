/** Doubles as Go prints them. */

const MAX_PLAIN = 6;

/** `%g`: the shortest text that reads back the same, with an exponent below 1e-4 and from 1e6 on. */
export function formatGoFloat(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const [digits = '', exponentText = '0'] = value.toExponential().split('e');
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < MAX_PLAIN) return plain(value, exponent);
  const size = String(Math.abs(exponent)).padStart(2, '0');
  return `${digits}e${exponent < 0 ? '-' : '+'}${size}`;
}

/** JavaScript changes to an exponent at other places than Go. */
function plain(value: number, exponent: number): string {
  const text = String(value);
  if (!text.includes('e')) return text;
  const digits = text.replace(/e.*$/, '').replace(/[.-]/g, '');
  return `${value < 0 ? '-' : ''}0.${'0'.repeat(-exponent - 1)}${digits}`;
}
