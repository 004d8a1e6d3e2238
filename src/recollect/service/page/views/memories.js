// All that is held true, by day, newest first; and a place to add something.

import { api } from "../api.js";
import { day, dayKey } from "../dates.js";
import { Loaded, Memory, usePages } from "../parts.js";
import { texts } from "../texts.js";
import { html, useState } from "../vendor/htm-preact-3.1.1.js";

const PAGE = 50;

export function Memories({ may, tell }) {
  const { items, cursor, first, more } = usePages((query) => api.memories({ limit: PAGE, ...query }), tell);
  return html`<section aria-labelledby="heading">
    <h1 id="heading">${texts.views.memories}</h1>
    ${may.includes("write") && html`<${Add} tell=${tell} added=${first.reload} />`}
    <${Loaded} of=${first}>${() => html`
      ${items.length === 0 && html`<p class="unknown">${texts.nothing}</p>`}
      ${byDay(items).map(
        ([name, some]) => html`<section key=${name} aria-label=${name}>
          <h2>${name}</h2>
          ${some.map((one) => html`<${Memory} key=${one.id} memory=${one} may=${may} tell=${tell} changed=${first.reload} />`)}
        </section>`,
      )}
      ${cursor && html`<button type="button" onClick=${more}>${texts.more}</button>`}`}<//>
  </section>`;
}

function byDay(items) {
  const days = new Map();
  for (const one of items) {
    const key = dayKey(one.created_at);
    if (!days.has(key)) days.set(key, [day(one.created_at), []]);
    days.get(key)[1].push(one);
  }
  return [...days.values()];
}

function Add({ tell, added }) {
  const [content, setContent] = useState("");
  const [keep, setKeep] = useState(false);
  const add = (event) => {
    event.preventDefault();
    api.remember({ content, keep_secret: keep }).then(
      (done) => {
        setContent("");
        setKeep(false);
        tell(texts.memory.stored(done));
        added();
      },
      (problem) => tell(problem.message),
    );
  };
  return html`<form class="ask" onSubmit=${add}>
    <label class="wide">${texts.memory.addLabel}
      <input dir="auto" required value=${content} onInput=${(event) => setContent(event.target.value)} />
    </label>
    <label class="check"><input type="checkbox" checked=${keep} onChange=${(event) => setKeep(event.target.checked)} /> ${texts.memory.keepSecret}</label>
    <button class="main">${texts.memory.add}</button>
  </form>`;
}
