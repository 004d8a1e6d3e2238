// Ask; the hits show what their score is made of.

import { api } from "../api.js";
import { endOf, minute, startOf } from "../dates.js";
import { Loaded, Memory, Text, useLoaded } from "../parts.js";
import { texts } from "../texts.js";
import { html, useState } from "../vendor/htm-preact-3.1.1.js";

const TYPES = ["fact", "preference", "decision", "event", "lesson", "instruction", "summary", "entity", "other"];
const LIKELY = 0.5; // what the service believes an answer to be, from which on the page says that one is known
const SHORTEST_WORD = 3;

export function Recall({ may, tell }) {
  const [draft, setDraft] = useState({ query: "", type: "", subject: "", since: "", until: "" });
  const [asked, setAsked] = useState(null);
  const set = (name) => (event) => setDraft({ ...draft, [name]: event.target.value });
  const ask = (event) => {
    event.preventDefault();
    setAsked({ ...draft, at: Date.now() });
  };
  return html`<section aria-labelledby="heading">
    <h1 id="heading">${texts.recall.heading}</h1>
    <form class="ask" role="search" onSubmit=${ask}>
      <label class="wide">${texts.recall.question}
        <input type="search" dir="auto" required placeholder=${texts.recall.placeholder} value=${draft.query} onInput=${set("query")} />
      </label>
      <button class="main">${texts.recall.ask}</button>
      <details class="wide">
        <summary>${texts.recall.filters}</summary>
        <div class="filters">
          <label>${texts.recall.type}
            <select value=${draft.type} onChange=${set("type")}>
              <option value="">${texts.recall.anyType}</option>
              ${TYPES.map((type) => html`<option value=${type}>${type}</option>`)}
            </select>
          </label>
          <label>${texts.recall.subject}<input dir="auto" value=${draft.subject} onInput=${set("subject")} /></label>
          <label>${texts.recall.since}<input type="date" value=${draft.since} onInput=${set("since")} /></label>
          <label>${texts.recall.until}<input type="date" value=${draft.until} onInput=${set("until")} /></label>
        </div>
      </details>
    </form>
    ${asked && html`<${Answer} key=${asked.at} asked=${asked} may=${may} tell=${tell} />`}
  </section>`;
}

function Answer({ asked, may, tell }) {
  const { query, type, subject, since, until } = asked;
  const answer = useLoaded(
    () => api.recall({ query, type, subject, since: startOf(since), until: endOf(until), limit: 20 }),
    [asked.at],
  );
  const words = query.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length >= SHORTEST_WORD);
  return html`<${Loaded} of=${answer}>${(found) => html`
    ${found.degraded.length > 0 && html`<p class="problem" role="alert">${texts.recall.degraded(found.degraded)}</p>`}
    <${Verdict} found=${found} />
    <ol class="hits">
      ${found.hits.map(
        (hit) => html`<li key=${hit.id}>
          <${Hit} hit=${hit} words=${words} may=${may} tell=${tell} changed=${answer.reload} />
        </li>`,
      )}
    </ol>`}<//>`;
}

function Verdict({ found }) {
  if (!found.hits.length) return html`<p class="unknown" role="status">${texts.recall.unknown}</p>`;
  if (found.answerable !== null && found.answerable < LIKELY) {
    return html`<p class="unknown" role="status"><strong>${texts.recall.unknown}</strong> ${texts.recall.unknownMore}</p>`;
  }
  return html`<p class="quiet" role="status">${texts.recall.hits(found.hits.length)}</p>`;
}

function Hit({ hit, words, may, tell, changed }) {
  const parts = html`${hit.scope && html`<p><span class="tag">${texts.recall.scope(hit.scope, hit.metadata.author)}</span></p>`}
  <details class="why">
    <summary>
      <${Bar} share=${hit.score} label=${texts.recall.score} /> <span class="quiet">${texts.recall.why}</span>
    </summary>
    <${Parts} of=${hit.score_parts} />
  </details>`;
  if (hit.source !== "memory" || hit.scope) {
    return html`<article class="memory"><p><${Text} of=${hit.content} words=${words} /></p>
      <p class="quiet"><span class="tag">${hit.source}</span> ${minute(hit.created_at)}</p>${parts}</article>`;
  }
  return html`<${Memory} memory=${hit.item} words=${words} may=${may} tell=${tell} changed=${changed}>${parts}<//>`;
}

function Parts({ of }) {
  const channels = Object.entries(of.channels);
  const factors = Object.entries(of.factors);
  return html`<table class="parts">
    <tbody>
      ${channels.map(
        ([name, part]) => html`<tr>
          <th scope="row">${texts.recall.channel(texts.recall.channels[name] ?? name, part)}</th>
          <td><${Bar} share=${part.score * part.weight} label=${name} /></td>
          <td class="number">${part.score.toFixed(2)} × ${part.weight.toFixed(2)}</td>
        </tr>`,
      )}
      <tr>
        <th scope="row">${texts.recall.relevance}</th>
        <td><${Bar} share=${of.relevance} label=${texts.recall.relevance} /></td>
        <td class="number">${of.relevance.toFixed(2)}</td>
      </tr>
      ${factors.map(([name, factor]) => html`<tr><th scope="row">${name}</th><td></td><td class="number">× ${factor.toFixed(2)}</td></tr>`)}
      ${of.rerank && html`<tr><th scope="row">${texts.recall.rerank}</th><td></td><td class="number">${of.rerank.score?.toFixed(2)}</td></tr>`}
    </tbody>
  </table>`;
}

function Bar({ share, label }) {
  return html`<meter min="0" max="1" value=${Math.min(1, Math.max(0, share))} aria-label=${label} title=${share.toFixed(3)}></meter>`;
}
