// Numbers as people read them, of a width that does not jump: fixed digits, units behind a space that does not break.
// SPDX-License-Identifier: Apache-2.0
import { language, t } from './i18n';

export const NONE = '–';
const NBSP = '\u00a0';

function with_unit(text: string, unit: string): string {
  return text + NBSP + unit;
}

/** 0.6 -> "60 %" */
export function percent(ratio: number | undefined): string {
  return ratio === undefined ? NONE : with_unit(String(Math.round(ratio * 100)), '%');
}

/** Small shares: "0.14 %" */
export function fine_percent(ratio: number | undefined): string {
  return ratio === undefined ? NONE : with_unit((ratio * 100).toFixed(2), '%');
}

export function watts(value: number | undefined): string {
  return value === undefined ? NONE : with_unit(String(Math.round(value)), 'W');
}

/** Many boards together: "3.58 kW" */
export function kilowatts(value: number | undefined): string {
  if (value === undefined) return NONE;
  return value >= 1000 ? with_unit((value / 1000).toFixed(2), 'kW') : watts(value);
}

export function celsius(value: number | undefined): string {
  return value === undefined ? NONE : with_unit(String(Math.round(value)), '°C');
}

export function megahertz(hertz: number | undefined): string {
  return hertz === undefined ? NONE : with_unit(String(Math.round(hertz / 1e6)), 'MHz');
}

const GIB = 2 ** 30;

function binary(bytes: number, digits: number): string {
  if (bytes >= 1024 * GIB) return with_unit((bytes / 1024 / GIB).toFixed(2), 'TiB');
  if (bytes >= GIB || bytes === 0) return with_unit((bytes / GIB).toFixed(digits), 'GiB');
  return bytes >= 2 ** 20 ? with_unit((bytes / 2 ** 20).toFixed(0), 'MiB') : with_unit((bytes / 1024).toFixed(0), 'KiB');
}

export function bytes(value: number | undefined): string {
  return value === undefined ? NONE : binary(value, 1);
}

/** Board memory, always in GiB, so that a column compares. */
export function gib(value: number | undefined): string {
  return value === undefined ? NONE : with_unit((value / GIB).toFixed(1), 'GiB');
}

/** Links are sold in decimal units. Two digits below 10 GB/s, one above. */
export function rate(per_second: number | undefined): string {
  if (per_second === undefined) return NONE;
  const giga = per_second / 1e9;
  return with_unit(giga.toFixed(giga >= 100 ? 0 : giga >= 10 ? 1 : 2), 'GB/s');
}

export function count(value: number | undefined): string {
  return value === undefined ? NONE : value.toLocaleString(language() === 'zh' ? 'zh-CN' : 'en-US');
}

/** "34 s", "5 min", "2 h 10 min", "3 d 4 h" */
export function duration(seconds: number): string {
  const s = Math.max(0, Math.floor(seconds));
  if (s < 90) return t('seconds', { n: s });
  if (s < 5400) return t('minutes', { n: Math.floor(s / 60) });
  if (s < 2 * 86400) return t('hours', { h: Math.floor(s / 3600), m: Math.floor((s % 3600) / 60) });
  return t('days', { d: Math.floor(s / 86400), h: Math.floor((s % 86400) / 3600) });
}

/** Time of day in this browser's zone; with the day where it is not today. */
export function clock_time(unix_s: number, now_s: number): string {
  const locale = language() === 'zh' ? 'zh-CN' : 'en-GB';
  const at = new Date(unix_s * 1000);
  const time = at.toLocaleTimeString(locale, { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false });
  if (at.toDateString() === new Date(now_s * 1000).toDateString()) return time;
  return `${at.toLocaleDateString(locale, { day: 'numeric', month: 'short' })} ${time}`;
}

/** A mark of an axis of time whose marks are so many seconds apart. */
export function mark_time(unix_s: number, apart_s: number): string {
  if (apart_s >= 86_400) return new Date(unix_s * 1000).toLocaleDateString(language() === 'zh' ? 'zh-CN' : 'en-GB', { day: 'numeric', month: 'short' });
  return clock_time(unix_s, unix_s).slice(0, apart_s > 0 && apart_s < 60 ? 8 : 5);
}

/** Any value of the table of metrics, by its unit. */
export function by_unit(value: number, unit: string | undefined): string {
  switch (unit) {
    case 'ratio': return percent(value);
    case 'watts': return watts(value);
    case 'celsius': return celsius(value);
    case 'hertz': return megahertz(value);
    case 'bytes': return bytes(value);
    case 'bytes_per_second': return rate(value);
    case 'joules': return with_unit((value / 3.6e6).toFixed(3), 'kWh');
    case 'seconds': return with_unit(value < 10 ? value.toFixed(2) : String(Math.round(value)), 's');
    default: return count(value);
  }
}
