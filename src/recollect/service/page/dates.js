// Moments in the reader's zone and manner.

const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const MINUTE = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

export const day = (moment) => (moment ? DAY.format(new Date(moment)) : "");
export const minute = (moment) => (moment ? MINUTE.format(new Date(moment)) : "");
export const dayKey = (moment) => new Date(moment).toLocaleDateString("sv"); // 2026-03-01, in the reader's zone

// A day typed by the reader, as the moment at which it begins or ends there.
export const startOf = (typed) => (typed ? new Date(`${typed}T00:00:00`).toISOString() : "");
export const endOf = (typed) => (typed ? new Date(`${typed}T23:59:59.999`).toISOString() : "");

// Times of the timeline: "" is all of it, then 2026, 2026-03, 2026-03-12 and 2026-03-12T14, in the reader's zone.
const LEVELS = { 0: "all", 4: "year", 7: "month", 10: "day", 13: "hour" };
const UNITS = { all: "year", year: "month", month: "day", day: "hour" };
const LENGTHS = { year: 4, month: 7, day: 10, hour: 13 };
const NAMES = {
  year: new Intl.DateTimeFormat(undefined, { year: "numeric" }),
  month: new Intl.DateTimeFormat(undefined, { month: "long", year: "numeric" }),
  day: new Intl.DateTimeFormat(undefined, { dateStyle: "long" }),
  hour: new Intl.DateTimeFormat(undefined, { hour: "numeric", minute: "2-digit" }),
};
const SHORT = {
  year: NAMES.year,
  month: new Intl.DateTimeFormat(undefined, { month: "short" }),
  day: new Intl.DateTimeFormat(undefined, { day: "numeric" }),
  hour: new Intl.DateTimeFormat(undefined, { hour: "numeric" }),
};
const MOST_SLOTS = 60;

export const zone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

const two = (number) => String(number).padStart(2, "0");

function parts(key) {
  const [year, month = "1", day = "1", hour = "0"] = key.split(/[-T]/);
  return [Number(year), Number(month) - 1, Number(day), Number(hour)];
}

// A Date takes a year such as 70 for 1970.
function dateOf(year, month, day, hour) {
  const made = new Date(2000, month, day, hour);
  made.setFullYear(year + made.getFullYear() - 2000);
  return made;
}

export function spanOf(id) {
  const key = /^\d{4}(-\d\d(-\d\d(T\d\d)?)?)?$/.test(id) ? id : "";
  const level = LEVELS[key.length];
  if (!key) return { key, level, unit: UNITS[level], parents: [] };
  const [year, month, day, hour] = parts(key);
  const next = { year: [year + 1, 0, 1, 0], month: [year, month + 1, 1, 0], day: [year, month, day + 1, 0], hour: [year, month, day, hour + 1] };
  const parents = [4, 7, 10, 13].filter((length) => length <= key.length).map((length) => key.slice(0, length));
  const [since, until] = [dateOf(year, month, day, hour), dateOf(...next[level])].map((one) => one.toISOString());
  return { key, level, unit: UNITS[level], since, until, parents };
}

export function spanKey(moment, unit) {
  const at = new Date(moment);
  const year = String(at.getFullYear()).padStart(4, "0");
  return `${year}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}`.slice(0, LENGTHS[unit]);
}

export const spanName = (key) => NAMES[LEVELS[key.length]].format(dateOf(...parts(key)));

// Every part of a time, those too in which there is nothing; of all years only those between the first and the last.
export function spanSlots(span, known) {
  const label = (key) => ({ key, label: SHORT[span.unit].format(dateOf(...parts(key))) });
  if (span.unit === "year") {
    const years = known.map(Number).sort((one, other) => one - other);
    const [first, last] = [years[0], years.at(-1)];
    if (last - first >= MOST_SLOTS) return known.sort().map(label);
    return Array.from({ length: last - first + 1 }, (_, at) => label(String(first + at).padStart(4, "0")));
  }
  const [year, month] = parts(span.key);
  const days = new Date(year, month + 1, 0).getDate();
  const keys = {
    month: () => Array.from({ length: 12 }, (_, at) => `${span.key}-${two(at + 1)}`),
    day: () => Array.from({ length: days }, (_, at) => `${span.key}-${two(at + 1)}`),
    hour: () => Array.from({ length: 24 }, (_, at) => `${span.key}T${two(at)}`),
  };
  return keys[span.unit]().map(label);
}
