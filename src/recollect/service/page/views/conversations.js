// Conversations, newest first; one with its turns and what was learned from it.

import { api } from "../api.js";
import { minute } from "../dates.js";
import { Forget, Loaded, Memory, Text, useLoaded, usePages } from "../parts.js";
import { texts } from "../texts.js";
import { html, useState } from "../vendor/htm-preact-3.1.1.js";

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
            <a href=${`#/conversations/${encodeURIComponent(one.id)}`}><bdi>${one.id}</bdi></a>
            <span class="quiet">
              ${minute(one.updated_at)}${" · "}${texts.conversations.turns(one.messages)}${" · "}
              ${texts.conversations.tokens(one.active_tokens, one.tokens)}
              ${one.private && html`${" · "}<span class="tag">${texts.conversations.private}</span>`}
            </span>
          </li>`,
        )}
      </ul>
      ${cursor && html`<button type="button" onClick=${more}>${texts.more}</button>`}`}<//>
  </section>`;
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
  const learned = useLoaded(() => api.memories({ session: id, limit: PAGE }), [id]);
  const earlier = () => api.conversation(id, { limit: PAGE, cursor }).then(take, (problem) => tell(problem.message));
  const forgotten = () => {
    tell(texts.memory.forgotten(turns.length));
    location.hash = "#/conversations";
  };
  return html`<section aria-labelledby="heading">
    <p><a href="#/conversations">${texts.conversations.back}</a></p>
    <h1 id="heading"><bdi>${id}</bdi></h1>
    <${Loaded} of=${first}>${() => html`
      ${cursor && html`<button type="button" onClick=${earlier}>${texts.conversations.earlier}</button>`}
      <ol class="turns">
        ${turns.map(
          (turn) => html`<li key=${turn.id} class=${turn.role}>
            <p class="quiet">${turn.speaker || turn.role}${" · "}${minute(turn.said_at)}</p>
            <p><${Text} of=${turn.content} /></p>
          </li>`,
        )}
      </ol>
      ${may.includes("forget") && html`<p class="actions">
        <button type="button" onClick=${() => setForgetting(true)}>${texts.memory.forget}</button>
      </p>`}
      ${forgetting && html`<${Forget} what=${{ session: id }} onDone=${forgotten} onClose=${() => setForgetting(false)} />`}`}<//>
    <${Loaded} of=${learned}>${({ items }) =>
      items.length > 0 &&
      html`<section aria-labelledby="learned">
        <h2 id="learned">${texts.conversations.learned}</h2>
        ${items.map((one) => html`<${Memory} key=${one.id} memory=${{ ...one, session: "" }} may=${may} tell=${tell} changed=${learned.reload} />`)}
      </section>`}<//>
  </section>`;
}
