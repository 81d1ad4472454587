// Numbers, dates and counts in words.

export const number = (value) => value.toLocaleString("en");

export const counted = (count, one, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`;

const DAY = 24 * 60 * 60 * 1000;

export function age(moment) {
  const days = Math.floor((Date.now() - Date.parse(moment)) / DAY);
  if (Number.isNaN(days)) return "";
  if (days < 1) return "today";
  if (days < 60) return `${counted(days, "day")} ago`;
  return days < 730 ? `${counted(Math.round(days / 30.4), "month")} ago` : `${Math.round(days / 365)} years ago`;
}

export const day = (moment) => moment.slice(0, 10);

export const minute = (moment) => `${moment.slice(0, 10)} ${moment.slice(11, 16)}`;

export const daysAgo = (days) => new Date(Date.now() - days * DAY).toISOString().slice(0, 10);

export function bytes(size) {
  if (size < 1024) return `${size} B`;
  return size < 1024 * 1024 ? `${number(Math.round(size / 1024))} KB` : `${(size / 1024 / 1024).toFixed(1)} MB`;
}
