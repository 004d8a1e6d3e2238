// Figures and status of the store, and the sessions that are open.

import { api } from "../api.js";
import { minute } from "../dates.js";
import { Loaded, useLoaded } from "../parts.js";
import { texts } from "../texts.js";
import { html } from "../vendor/htm-preact-3.1.1.js";

export function Store({ admin, tell }) {
  const stats = useLoaded(api.stats, []);
  return html`<section aria-labelledby="heading">
    <h1 id="heading">${texts.store.heading}</h1>
    <section aria-labelledby="figures">
      <h2 id="figures">${texts.store.figures}</h2>
      <${Loaded} of=${stats}>${(figures) => html`<dl class="figures">
        ${Object.entries(texts.store.labels).map(
          ([name, label]) => html`<div><dt>${label}</dt><dd>${figures[name].toLocaleString()}</dd></div>`,
        )}
      </dl>
      <ul class="list">
        ${Object.entries(figures.by_type).map(([type, n]) => html`<li><span class="tag">${type}</span> ${n.toLocaleString()}</li>`)}
      </ul>`}<//>
      <p><a href="/api/export?readable=true" download>${texts.store.export}</a></p>
    </section>
    ${admin && html`<${Status} />`}
    <${Sessions} tell=${tell} />
  </section>`;
}

function Status() {
  const status = useLoaded(api.status, []);
  return html`<section aria-labelledby="status">
    <h2 id="status">${texts.store.status}</h2>
    <${Loaded} of=${status}>${(told) => html`
      <p>${told.backend} ${told.backend_version}${" · "}<code>${told.location}</code>${" · "}Recollect ${told.version}</p>
      <p>${told.embedding}</p>
      <h3>${texts.store.coverage}</h3>
      <ul class="list">
        ${told.coverage.map((one) => html`<li>${one.source}: ${one.vectors.toLocaleString()} / ${one.items.toLocaleString()}</li>`)}
      </ul>
      <h3>${texts.store.advice}</h3>
      ${told.advice.length
        ? html`<ul>${told.advice.map((one) => html`<li>${one}</li>`)}</ul>`
        : html`<p class="quiet">${texts.store.fine}</p>`}`}<//>
  </section>`;
}

function Sessions({ tell }) {
  const sessions = useLoaded(api.sessions, []);
  const end = (one) =>
    api.endSession(one.id).then(
      () => (one.this_one ? location.reload() : (tell(texts.store.ended), sessions.reload())),
      (problem) => tell(problem.message),
    );
  return html`<section aria-labelledby="sessions">
    <h2 id="sessions">${texts.store.sessions}</h2>
    <${Loaded} of=${sessions}>${({ items }) => html`<ul class="list">
      ${items.map(
        (one) => html`<li key=${one.id}>
          ${one.name} <span class="quiet">${minute(one.opened_at)} – ${minute(one.expires_at)}</span>
          ${one.this_one && html` <span class="tag">${texts.store.thisOne}</span>`}
          ${" "}<button type="button" aria-label=${`${texts.store.end} ${one.name}`} onClick=${() => end(one)}>${texts.store.end}</button>
        </li>`,
      )}
    </ul>`}<//>
  </section>`;
}
