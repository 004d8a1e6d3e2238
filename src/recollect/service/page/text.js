// Text of any origin, shown as text.

import { html } from "./vendor/htm-preact-3.1.1.js";

// Marks stand around the words that were asked for.
export function Text({ of, words = [] }) {
  if (!words.length) return html`<bdi class="text">${of}</bdi>`;
  const pattern = new RegExp(`(${words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})`, "giu");
  const parts = of.split(pattern);
  return html`<bdi class="text">${parts.map((part, at) => (at % 2 ? html`<mark>${part}</mark>` : part))}</bdi>`;
}
