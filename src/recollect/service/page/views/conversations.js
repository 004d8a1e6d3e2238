// Conversations, newest first; one with its turns and what was learned from it.

import { api } from "../api.js";
import { day, minute } from "../dates.js";
import { Forget, Later, Loaded, Memory, Text, Turns, useLoaded, usePages } from "../parts.js";
import { texts } from "../texts.js";
import { html, useMemo, useState } from "../vendor/htm-preact-3.1.1.js";

const PAGE = 50;

export function Conversations({ id, may, tell }) {
  return id ? html`<${Conversation} key=${id} id=${id} may=${may} tell=${tell} />` : html`<${Listing} tell=${tell} />`;
}

function Listing({ tell }) {
  const { items, cursor, first, more } = usePages((query) => api.conversations({ limit: PAGE, ...query }), tell);
  return html`<section aria-labelledby="heading">
    <h1 id="heading">${texts.conversations.heading}</h1>
    <${Loaded} of=${first}>${() => html`
      ${items.length === 0 && html`<p class="unknown">${texts.conversations.none}</p>`}
      <ul class="list">
        ${items.map(
          (one) => html`<li key=${one.id}>
            <a href=${`#/conversations/${encodeURIComponent(one.id)}`}><bdi>${one.title || one.id}</bdi></a>${" "}
            <span class="quiet">
              ${held(one)}${" · "}${one.speakers.length > 0 && html`<bdi>${one.speakers.join(", ")}</bdi>${" · "}`}
              ${texts.conversations.turns(one.messages)}${" · "}
              ${texts.conversations.tokens(one.active_tokens, one.tokens)}
              ${one.private && html`${" · "}<span class="tag">${texts.conversations.private}</span>`}
            </span>
          </li>`,
        )}
      </ul>
      ${cursor && html`<button type="button" onClick=${more}>${texts.more}</button>`}`}<//>
  </section>`;
}

// When it was held: on one day, or from one to another.
function held({ first_said_at: first, last_said_at: last, updated_at: changed }) {
  return first && day(first) !== day(last) ? texts.conversations.held(day(first), day(last)) : minute(last ?? changed);
}

function Conversation({ id, may, tell }) {
  const [turns, setTurns] = useState([]);
  const [cursor, setCursor] = useState(null);
  const [forgetting, setForgetting] = useState(false);
  const take = (page) => {
    setTurns((later) => [...page.messages, ...later]);
    setCursor(page.cursor);
    return page;
  };
  const first = useLoaded(() => api.conversation(id, { limit: PAGE }).then(take), [id]);
  const learned = useLoaded(() => api.learned(id), [id]);
  const bySource = useMemo(() => bySourceOf(learned.value?.items ?? []), [learned.value]);
  const earlier = () => api.conversation(id, { limit: PAGE, cursor }).then(take, (problem) => tell(problem.message));
  const forgotten = () => {
    tell(texts.memory.forgotten(turns.length));
    location.hash = "#/conversations";
  };
  return html`<section aria-labelledby="heading">
    <p><a href="#/conversations">${texts.conversations.back}</a></p>
    <h1 id="heading"><bdi>${first.value?.conversation.title || id}</bdi></h1>
    <${Loaded} of=${first}>${({ conversation }) => html`
      <p class="quiet">
        <bdi>${id}</bdi>${" · "}${held(conversation)}
        ${conversation.speakers.length > 0 && html`${" · "}<bdi>${conversation.speakers.join(", ")}</bdi>`}
      </p>
      <${Figures} info=${conversation} may=${may} tell=${tell} />
      <${Summary} id=${id} />
      ${cursor && html`<button type="button" onClick=${earlier}>${texts.conversations.earlier}</button>`}
      <${Turns} messages=${turns}>${(turn) => html`<${Taught} memories=${bySource.get(turn.id) ?? []} />`}<//>
      ${may.includes("forget") && html`<p class="actions">
        <button type="button" onClick=${() => setForgetting(true)}>${texts.memory.forget}</button>
      </p>`}
      ${forgetting && html`<${Forget} what=${{ session: id }} onDone=${forgotten} onClose=${() => setForgetting(false)} />`}`}<//>
    <${Loaded} of=${learned}>${({ items }) =>
      items.length > 0 &&
      html`<section aria-labelledby="learned">
        <h2 id="learned">${texts.conversations.learned}</h2>
        ${items.map(
          ({ memory }) => html`<${Memory} key=${memory.id} memory=${{ ...memory, session: "" }} may=${may} tell=${tell} changed=${learned.reload} />`,
        )}
      </section>`}<//>
  </section>`;
}

// How much of it a model sees, and whether what is said from now on is kept.
function Figures({ info, may, tell }) {
  const [isPrivate, setPrivate] = useState(info.private);
  const shown = useLoaded(() => api.window(info.id), [info.id]);
  const change = (event) => {
    const on = event.target.checked;
    api.setPrivate(info.id, on).then(
      () => {
        setPrivate(on);
        tell(on ? texts.conversations.isPrivate : texts.conversations.isKept);
      },
      (problem) => tell(problem.message),
    );
  };
  return html`<div class="figures">
    <div>
      <span class="quiet">${texts.conversations.inWindow}</span>
      <meter min="0" max=${Math.max(1, info.tokens)} value=${Math.min(info.active_tokens, info.tokens)} aria-label=${texts.conversations.inWindow}></meter>
      <p class="quiet">${texts.conversations.tokens(info.active_tokens.toLocaleString(), info.tokens.toLocaleString())}</p>
      ${shown.value && html`<p class="quiet">${texts.conversations.shown(shown.value.messages.length, shown.value.tokens, shown.value.omitted)}</p>`}
    </div>
    <div>
      <label class="check">
        <input type="checkbox" checked=${isPrivate} disabled=${!may.includes("write")} onChange=${change} />
        ${texts.conversations.private}
      </label>
      <p class="quiet">${texts.conversations.privateMeans}</p>
    </div>
  </div>`;
}

function Summary({ id }) {
  const loaded = useLoaded(() => api.summary(id), [id]);
  const summary = loaded.value?.summary;
  if (!summary) return null;
  return html`<section class="summary" aria-labelledby="summary">
    <h2 id="summary">${texts.conversations.summary}</h2>
    <${Text} of=${summary.content} />
    <${Later} label=${texts.conversations.originals}>${() => html`<${Originals} id=${summary.id} />`}<//>
  </section>`;
}

function Originals({ id }) {
  const originals = useLoaded(() => api.originals(id), [id]);
  return html`<${Loaded} of=${originals}>${({ items }) => html`<${Turns} messages=${items} />`}<//>`;
}

function Taught({ memories }) {
  if (!memories.length) return null;
  return html`<ul class="taught" aria-label=${texts.conversations.learned}>
    ${memories.map((one) => html`<li><span class="tag">${one.type}</span> <${Text} of=${one.content} /></li>`)}
  </ul>`;
}

function bySourceOf(learned) {
  const taught = new Map();
  for (const { memory, message_ids: ids } of learned) {
    for (const id of ids) taught.set(id, [...(taught.get(id) ?? []), memory]);
  }
  return taught;
}
