// Subjects with what is known of them; each fact with its history, to correct or to forget.

import { api } from "../api.js";
import { Loaded, Memory, useLoaded } from "../parts.js";
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
    <${Loaded} of=${known}>${(items) => html`<${Subjects} items=${items} typed=${typed} may=${may} tell=${tell} changed=${known.reload} />`}<//>
  </section>`;
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
