// What there is by year, month, day and hour; a bar leads into its time, and down to what can be read.

import { api } from "../api.js";
import { spanOf, spanKey, spanName, spanSlots } from "../dates.js";
import { Loaded, Memory, TalkLink, Turns, useLoaded } from "../parts.js";
import { texts } from "../texts.js";
import { html, useState } from "../vendor/htm-preact-3.1.1.js";

const KINDS = ["events", "memories", "messages", "files"];
const FEW = 50; // items that are listed at once, however long the time
const PAGE = 100;

export function Timeline({ id, may, tell }) {
  const span = spanOf(id);
  const [hidden, setHidden] = useState([]);
  const buckets = useLoaded(() => api.timeline({ unit: span.unit, since: span.since, until: span.until }), [span.key]);
  const toggle = (kind) => setHidden(hidden.includes(kind) ? hidden.filter((one) => one !== kind) : [...hidden, kind]);
  const shown = KINDS.filter((kind) => !hidden.includes(kind));
  return html`<section aria-labelledby="heading">
    <h1 id="heading">${texts.views.timeline}</h1>
    <${Path} span=${span} />
    <fieldset class="legend">
      <legend class="quiet">${texts.timeline.kinds}</legend>
      ${KINDS.map(
        (kind) => html`<label class="check" key=${kind}>
          <input type="checkbox" checked=${!hidden.includes(kind)} onChange=${() => toggle(kind)} />
          <svg class="swatch" viewBox="0 0 1 1" aria-hidden="true"><rect class=${kind} width="1" height="1" /></svg> ${texts.timeline[kind]}
        </label>`,
      )}
    </fieldset>
    <${Loaded} of=${buckets}>${({ items }) => {
      const total = items.reduce((sum, one) => sum + amount(one, KINDS), 0);
      if (!total) return html`<p class="unknown">${id ? texts.timeline.empty : texts.nothing}</p>`;
      return html`
        ${span.unit && html`<${Plot} span=${span} items=${items} shown=${shown} />`}
        ${total <= FEW || ["day", "hour"].includes(span.level)
          ? html`<${Items} key=${span.key} span=${span} shown=${shown} may=${may} tell=${tell} changed=${buckets.reload} />`
          : html`<p class="quiet">${texts.timeline.zoom}</p>`}`;
    }}<//>
  </section>`;
}

function Path({ span }) {
  return html`<nav class="path" aria-label=${texts.timeline.path}>
    <a href="#/timeline" aria-current=${span.key ? undefined : "true"}>${texts.timeline.all}</a>
    ${span.parents.map(
      (key) => html`<span aria-hidden="true">›</span>
        <a href=${`#/timeline/${key}`} aria-current=${key === span.key ? "true" : undefined}>${spanName(key)}</a>`,
    )}
  </nav>`;
}

function Plot({ span, items, shown }) {
  const counts = new Map();
  for (const one of items) {
    const key = spanKey(one.start, span.unit);
    const before = counts.get(key) ?? {};
    counts.set(key, Object.fromEntries(KINDS.map((kind) => [kind, (before[kind] ?? 0) + one[kind]])));
  }
  const slots = spanSlots(span, [...counts.keys()]);
  const most = Math.max(1, ...[...counts.values()].map((one) => amount(one, shown)));
  return html`<figure class="density">
    <figcaption class="quiet">${texts.timeline.most(most.toLocaleString())}</figcaption>
    <ol class="plot">
      ${slots.map(({ key, label }, at) => {
        const count = counts.get(key);
        const name = html`<span class=${`label ${slots.length > 12 && at % 5 ? "minor" : ""}`}>${label}</span>`;
        return html`<li key=${key}>
          ${count
            ? html`<a href=${`#/timeline/${key}`} aria-label=${spoken(key, count)} title=${spoken(key, count)}>
                <${Bar} count=${count} shown=${shown} most=${most} />${name}
              </a>`
            : html`<${Bar} count=${{}} shown=${[]} most=${most} />${name}`}
        </li>`;
      })}
    </ol>
  </figure>`;
}

function Bar({ count, shown, most }) {
  let top = 100;
  return html`<svg class="bar" viewBox="0 0 10 100" preserveAspectRatio="none" aria-hidden="true">
    ${shown
      .filter((kind) => count[kind])
      .map((kind) => {
        const height = Math.max(1.5, (100 * count[kind]) / most);
        top -= height;
        return html`<rect class=${kind} x="0" y=${Math.max(0, top)} width="10" height=${height} />`;
      })}
  </svg>`;
}

const amount = (count, kinds) => kinds.reduce((sum, kind) => sum + (count[kind] ?? 0), 0);

const spoken = (key, count) =>
  `${spanName(key)}: ${KINDS.filter((kind) => count[kind]).map((kind) => texts.timeline.count[kind](count[kind])).join(", ")}`;

// What is about a time, to read.
function Items({ span, shown, may, tell, changed }) {
  const range = { since: span.since, until: span.until, limit: PAGE };
  const found = useLoaded(async () => {
    const [memories, messages, files] = await Promise.all([api.memories(range), api.messages(range), api.files(range)]);
    return { memories: memories.items, messages: messages.items, files: files.items };
  }, [span.key]);
  const again = () => {
    found.reload();
    changed();
  };
  return html`<${Loaded} of=${found}>${({ memories, messages, files }) => html`
    ${["events", "memories"].map((kind) => {
      const some = memories.filter((one) => (one.type === "event") === (kind === "events"));
      return (
        shown.includes(kind) &&
        some.length > 0 &&
        html`<section key=${kind} aria-label=${texts.timeline[kind]}>
          <h2>${texts.timeline[kind]}</h2>
          ${inOrder(some).map((one) => html`<${Memory} key=${one.id} memory=${one} may=${may} tell=${tell} changed=${again} />`)}
        </section>`
      );
    })}
    ${shown.includes("messages") && messages.length > 0 && html`<${Said} messages=${messages} />`}
    ${shown.includes("files") &&
    files.length > 0 &&
    html`<section aria-label=${texts.timeline.files}>
      <h2>${texts.timeline.files}</h2>
      <ul class="list">
        ${files.map((one) => html`<li key=${one.id}><a href=${`#/files/${one.id}`}><bdi>${one.path}</bdi></a></li>`)}
      </ul>
    </section>`}
    ${memories.length + messages.length >= PAGE && html`<p class="quiet">${texts.timeline.cut}</p>`}`}<//>`;
}

function Said({ messages }) {
  const conversations = Map.groupBy(messages, (one) => one.conversation);
  return html`<section aria-label=${texts.timeline.messages}>
    <h2>${texts.timeline.messages}</h2>
    ${[...conversations].map(
      ([name, said]) => html`<h3><${TalkLink} name=${name} /></h3><${Turns} messages=${said} />`,
    )}
  </section>`;
}

const moment = (memory) => memory.occurred_at ?? memory.created_at;
const inOrder = (memories) => [...memories].sort((one, other) => moment(one).localeCompare(moment(other)));
