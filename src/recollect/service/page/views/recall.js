// Ask; the hits show what their score is made of.

import { api } from "../api.js";
import { endOf, minute, startOf } from "../dates.js";
import { MediaList } from "../media.js";
import { Later, Loaded, Memory, TalkLink, Text, Turns, useLoaded } from "../parts.js";
import { texts } from "../texts.js";
import { html, useState } from "../vendor/htm-preact-3.1.1.js";

const TYPES = ["fact", "preference", "decision", "event", "lesson", "instruction", "summary", "entity", "other"];
const LIKELY = 0.5; // what the service believes an answer to be, from which on the page says that one is known
const SHORTEST_WORD = 3;
const SHOWN = 20;
const DEEPEST = 100; // how far down a memory that was expected is looked for
const LINES = 5;

const NOTHING_CHOSEN = { query: "", where: "memories", type: "", subject: "", session: "", since: "", until: "", at: "", radius: "" };

export function Recall({ may, tell }) {
  const [draft, setDraft] = useState(NOTHING_CHOSEN);
  const [asked, setAsked] = useState(null);
  const set = (name) => (event) => setDraft({ ...draft, [name]: event.target.value });
  const ask = (event) => {
    event.preventDefault();
    setAsked({ ...draft, number: (asked?.number ?? 0) + 1 });
  };
  const field = (name, attributes = {}) => html`<label>${texts.recall[name]}
    <input dir="auto" value=${draft[name]} onInput=${set(name)} ...${attributes} />
  </label>`;
  const everywhere = draft.where !== "memories";
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
          <label>${texts.recall.where}
            <select value=${draft.where} onChange=${set("where")}>
              ${Object.entries(texts.recall.places).map(([value, label]) => html`<option value=${value}>${label}</option>`)}
            </select>
          </label>
          <label>${texts.recall.type}
            <select value=${draft.type} disabled=${everywhere} onChange=${set("type")}>
              <option value="">${texts.recall.anyType}</option>
              ${TYPES.map((type) => html`<option value=${type}>${type}</option>`)}
            </select>
          </label>
          ${field("subject", { disabled: everywhere })} ${field("session")}
          ${field("since", { type: "date" })} ${field("until", { type: "date" })}
          ${field("at")} ${field("radius", { type: "number", min: "0.1", max: "100", step: "0.1", disabled: !draft.at })}
        </div>
      </details>
    </form>
    ${asked && html`<${Answer} key=${asked.number} asked=${asked} may=${may} tell=${tell} />`}
  </section>`;
}

const SOURCES = { messages: ["request", "response", "reasoning", "tool"], files: ["file"] };

function search(asked, limit) {
  const { query, where, type, subject, session, since, until, at, radius } = asked;
  const common = { query, session, since: startOf(since), until: endOf(until), at, radius_km: at ? radius : "", limit };
  if (where === "memories") return api.recall({ ...common, type, subject });
  const given = Object.fromEntries(Object.entries(common).filter(([, value]) => value !== ""));
  if (given.radius_km) given.radius_km = Number(given.radius_km);
  return api.searchAll({ ...given, whole: true, ...(SOURCES[where] && { sources: SOURCES[where] }) });
}

function Answer({ asked, may, tell }) {
  const answer = useLoaded(() => search(asked, SHOWN), [asked.number]);
  const words = asked.query.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length >= SHORTEST_WORD);
  return html`<${Loaded} of=${answer}>${(found) => html`
    ${found.degraded.length > 0 && html`<p class="problem" role="alert">${texts.recall.degraded(found.degraded)}</p>`}
    <${Verdict} found=${found} />
    <ol class="hits">
      ${found.hits.map(
        (hit) => html`<li key=${hit.id}>
          <${Hit} hit=${hit} words=${words} may=${may} tell=${tell} changed=${answer.reload} />
        </li>`,
      )}
    </ol>
    ${asked.where === "memories" && html`<${WhyNot} asked=${asked} found=${found} />`}`}<//>`;
}

// Looks for a memory that was expected, and says where it stands for the question, or what kept it out.
function WhyNot({ asked, found }) {
  const [typed, setTyped] = useState("");
  const [wanted, setWanted] = useState("");
  const [chosen, setChosen] = useState(null);
  const candidates = useLoaded(() => (wanted ? api.recall({ query: wanted, limit: 5 }) : Promise.resolve({ hits: [] })), [wanted]);
  const submit = (event) => {
    event.preventDefault();
    setChosen(null);
    setWanted(typed);
  };
  return html`<details class="whynot">
    <summary>${texts.whyNot.heading}</summary>
    <form class="ask" onSubmit=${submit}>
      <label class="wide">${texts.whyNot.label}
        <input dir="auto" required value=${typed} onInput=${(event) => setTyped(event.target.value)} />
      </label>
      <button>${texts.whyNot.look}</button>
    </form>
    <${Loaded} of=${candidates}>${({ hits }) => html`<ul class="list">
      ${hits.map(
        (hit) => html`<li key=${hit.id}>
          <button type="button" aria-expanded=${chosen === hit.id} onClick=${() => setChosen(hit.id)}>${texts.whyNot.ask}</button>
          ${" "}<${Text} of=${hit.content} />
          ${chosen === hit.id && html`<${Standing} memory=${hit.item} asked=${asked} found=${found} />`}
        </li>`,
      )}
      ${wanted && !hits.length && html`<li>${texts.whyNot.nowhere}</li>`}
    </ul>`}<//>
  </details>`;
}

function Standing({ memory, asked, found }) {
  const standing = useLoaded(async () => {
    const place = found.hits.findIndex((hit) => hit.id === memory.id);
    if (place >= 0) return { hit: found.hits[place], place: place + 1, narrowed: true };
    const excluded = exclusions(memory, asked);
    const whole = await search(excluded.length ? { ...NOTHING_CHOSEN, query: asked.query } : asked, DEEPEST);
    const at = whole.hits.findIndex((hit) => hit.id === memory.id);
    return { hit: whole.hits[at], place: at + 1, excluded, among: whole.hits.length };
  }, [memory.id, asked.number]);
  return html`<${Loaded} of=${standing}>${({ hit, place, excluded = [], among }) => html`<div class="standing">
    ${excluded.map((name) => html`<p>${texts.whyNot.excluded(texts.recall[name])}</p>`)}
    ${hit
      ? html`<p>${(excluded.length ? texts.whyNot.otherwise : texts.whyNot.place)(place)}</p><${Parts} of=${hit.score_parts} />`
      : html`<p>${texts.whyNot.beyond(among)}</p>`}
  </div>`}<//>`;
}

// The filters of a question that a memory does not pass.
function exclusions(memory, asked) {
  const about = Date.parse(memory.occurred_at ?? memory.created_at);
  const checks = {
    type: !asked.type || asked.type === memory.type,
    subject: !asked.subject || asked.subject === memory.subject,
    session: !asked.session || asked.session === memory.session,
    since: !asked.since || about >= Date.parse(startOf(asked.since)),
    until: !asked.until || about < Date.parse(endOf(asked.until)),
    radius: !(asked.at && asked.radius) || memory.lat !== null,
  };
  return Object.keys(checks).filter((name) => !checks[name]);
}

function Verdict({ found }) {
  if (!found.hits.length) return html`<p class="unknown" role="status">${texts.recall.unknown}</p>`;
  if (found.answerable !== null && found.answerable < LIKELY) {
    return html`<p class="unknown" role="status"><strong>${texts.recall.unknown}</strong> ${texts.recall.unknownMore}</p>`;
  }
  return html`<p class="quiet" role="status">${texts.recall.hits(found.hits.length)}</p>`;
}

function Hit({ hit, words, may, tell, changed }) {
  const parts = html`${hit.corrected?.map((one) => html`<p class="corrected">${texts.recall.corrected(one, minute(one.at))}</p>`)}
  ${hit.on_disk && html`<p class="corrected">${texts.recall.onDisk[hit.on_disk]}</p>`}
  ${hit.scope && html`<p><span class="tag">${texts.recall.scope(hit.scope, hit.metadata.author)}</span></p>`}
  <details class="why">
    <summary>
      <${Bar} share=${hit.score} label=${texts.recall.score} /> <span class="quiet">${texts.recall.why}</span>
    </summary>
    <${Parts} of=${hit.score_parts} />
  </details>`;
  if (hit.source !== "memory" || hit.scope) {
    return html`<article class="memory"><p><${Text} of=${hit.content} words=${words} /></p>
      <${MediaList} of=${hit.media} words=${words} scope=${hit.scope} />
      <p class="quiet">
        <span class="tag">${hit.source}</span> ${minute(hit.created_at)}
        ${hit.conversation && !hit.scope && html`${" · "}<${TalkLink} name=${hit.conversation} />`}
        ${hit.source === "file" && html`${" · "}<a href=${`#/files/${hit.metadata.file_id}`}><bdi>${hit.metadata.path}</bdi></a>`}
      </p>
      ${!hit.scope && html`<${Around} hit=${hit} />`}${parts}</article>`;
  }
  return html`<${Memory} memory=${hit.item} words=${words} may=${may} tell=${tell} changed=${changed}>${parts}<//>`;
}

// The turns around a message, or the lines around a part of a file.
function Around({ hit }) {
  if (hit.source === "memory") return null;
  return html`<${Later} label=${hit.source === "file" ? texts.recall.lines : texts.recall.turns}>
    ${() => (hit.source === "file" ? html`<${Lines} hit=${hit} />` : html`<${Neighbours} id=${hit.id} />`)}
  <//>`;
}

function Neighbours({ id }) {
  const around = useLoaded(() => api.around(id), [id]);
  return html`<${Loaded} of=${around}>${({ items }) => html`<${Turns} messages=${items} here=${id} />`}<//>`;
}

function Lines({ hit }) {
  const { file_id: file, start_line: first, end_line: last } = hit.metadata;
  const read = useLoaded(() => api.fileText(file, `${Math.max(1, first - LINES)}-${last + LINES}`), [hit.id]);
  return html`<${Loaded} of=${read}>${(part) => html`<pre class="whole" tabindex="0">${part.text}</pre>`}<//>`;
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
      ${of.place && html`<tr>
        <th scope="row">${texts.recall.place}</th>
        <td><${Bar} share=${of.place.geo} label=${texts.recall.place} /></td>
        <td class="number">${of.place.geo.toFixed(2)} × ${of.place.weight.toFixed(2)}</td>
      </tr>`}
      ${of.rerank && html`<tr><th scope="row">${texts.recall.rerank}</th><td></td><td class="number">${of.rerank.score?.toFixed(2)}</td></tr>`}
    </tbody>
  </table>`;
}

function Bar({ share, label }) {
  return html`<meter min="0" max="1" value=${Math.min(1, Math.max(0, share))} aria-label=${label} title=${share.toFixed(3)}></meter>`;
}
