// Moments in the reader's zone and manner.

const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const MINUTE = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

export const day = (moment) => (moment ? DAY.format(new Date(moment)) : "");
export const minute = (moment) => (moment ? MINUTE.format(new Date(moment)) : "");
export const dayKey = (moment) => new Date(moment).toLocaleDateString("sv"); // 2026-03-01, in the reader's zone

// A day typed by the reader, as the moment at which it begins or ends there.
export const startOf = (typed) => (typed ? new Date(`${typed}T00:00:00`).toISOString() : "");
export const endOf = (typed) => (typed ? new Date(`${typed}T23:59:59.999`).toISOString() : "");
