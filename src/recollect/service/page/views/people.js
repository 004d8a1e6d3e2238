// Subjects with what is known of them; each fact with its history, to correct or to forget.

import { api } from "../api.js";
import { day } from "../dates.js";
import { Later, Loaded, Memory, Origins, Text, origin, useLoaded } from "../parts.js";
import { texts } from "../texts.js";
import { html, useMemo, useState } from "../vendor/htm-preact-3.1.1.js";

const MOST = 100;

export function People({ may, tell }) {
  const [typed, setTyped] = useState("");
  const known = useLoaded(async () => {
    const [facts, preferences] = await Promise.all([api.facts({ limit: MOST }), api.preferences({ limit: MOST })]);
    return [...facts.items, ...preferences.items];
  }, []);
  return html`<section aria-labelledby="heading">
    <h1 id="heading">${texts.people.heading}</h1>
    <label>${texts.people.filter}
      <input type="search" dir="auto" value=${typed} onInput=${(event) => setTyped(event.target.value)} />
    </label>
    <${Doubts} may=${may} tell=${tell} changed=${known.reload} />
    <${Loaded} of=${known}>${(items) => html`<${Subjects} items=${items} typed=${typed} may=${may} tell=${tell} changed=${known.reload} />`}<//>
  </section>`;
}

// Values that a later statement contradicts without replacing them, for a reader to decide on.
function Doubts({ may, tell, changed }) {
  const doubts = useLoaded(api.doubts, []);
  const settle = ({ id }) =>
    api.settle(id).then(
      () => {
        tell(texts.people.settled);
        doubts.reload();
        changed();
      },
      (problem) => tell(problem.message),
    );
  return html`<${Loaded} of=${doubts}>${({ items }) =>
    items.length > 0 &&
    html`<section aria-labelledby="doubts">
      <h2 id="doubts">${texts.people.doubts}</h2>
      ${items.map(
        (doubt) => html`<article class="memory doubt" key=${doubt.contradicted_by.id}>
          <p><strong><bdi>${doubt.memory.subject}</bdi></strong> <bdi>${doubt.memory.key}</bdi></p>
          <div class="both">
            <${Side} label=${texts.people.holds} memory=${doubt.memory} />
            <${Side} label=${texts.people.contradicts} memory=${doubt.contradicted_by} />
          </div>
          ${may.includes("write") && html`<p class="actions">
            <button type="button" onClick=${() => settle(doubt.memory)}>${texts.people.keep}</button>
            <button type="button" onClick=${() => settle(doubt.contradicted_by)}>${texts.people.take}</button>
          </p>`}
        </article>`,
      )}
    </section>`}<//>`;
}

function Side({ label, memory }) {
  return html`<div>
    <p class="quiet">${label}</p>
    <p><${Text} of=${memory.content} /></p>
    <p class="quiet">${day(memory.created_at)}${" · "}${origin(memory)}</p>
    <${Later} label=${texts.memory.origins}>${() => html`<${Origins} id=${memory.id} />`}<//>
  </div>`;
}

function Subjects({ items, typed, may, tell, changed }) {
  const subjects = useMemo(() => bySubject(items), [items]);
  const wanted = typed.trim().toLocaleLowerCase();
  const shown = subjects.filter(([name]) => name.toLocaleLowerCase().includes(wanted));
  if (!shown.length) return html`<p class="unknown">${texts.people.none}</p>`;
  return shown.map(
    ([name, facts]) => html`<section class="subject" key=${name}>
      <h2><bdi>${name}</bdi></h2>
      ${facts.map(
        (fact) => html`<${Memory} key=${fact.id} memory=${fact} may=${may} tell=${tell} changed=${changed}>
          ${fact.key && html`<p class="quiet"><bdi>${fact.key}</bdi>: <bdi>${fact.value}</bdi></p>`}
        <//>`,
      )}
    </section>`,
  );
}

function bySubject(items) {
  const subjects = new Map();
  for (const one of items) {
    const name = !one.subject || one.subject === "user" ? texts.people.user : one.subject;
    subjects.set(name, [...(subjects.get(name) ?? []), one]);
  }
  return [...subjects.entries()];
}
