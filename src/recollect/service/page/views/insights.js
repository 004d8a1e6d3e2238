// What is asked of the memory, what it holds, what could go; for an admin also keys, scopes, the audit log and backups.

import { api } from "../api.js";
import { day, minute } from "../dates.js";
import { Dialog, Loaded, Text, useLoaded } from "../parts.js";
import { texts } from "../texts.js";
import { html, useState } from "../vendor/htm-preact-3.1.1.js";

const told = texts.insights;

export function Insights({ may, admin, tell }) {
  const insights = useLoaded(api.insights, []);
  return html`<section aria-labelledby="heading">
    <h1 id="heading">${told.heading}</h1>
    <${Loaded} of=${insights}>${(found) => html`
      ${found.log === "off" ? html`<p class="unknown">${told.off}</p>` : html`<${Searches} found=${found} />`}
      <${Part} name="holds">
        <${Bars} of=${found.coverage.map((one) => [`${told.kinds[one.kind]}: ${one.type}`, one.vectors, one.items])} label=${told.coverage} />
        <p class="quiet">${told.queue(found.model, found.waiting, found.parked)}</p>
      <//>
      <${Part} name="growth">
        <${Bars} of=${found.growth.map((one) => [one.month, one.memories + one.messages + one.chunks])} label=${told.growth} />
      <//>`}<//>
    <${Tidy} may=${may} tell=${tell} />
    ${admin && html`<${Administration} />`}
  </section>`;
}

function Part({ name, children }) {
  return html`<section aria-labelledby=${`part-${name}`}><h2 id=${`part-${name}`}>${told[name]}</h2>${children}</section>`;
}

function Searches({ found }) {
  const searches = found.searches.reduce((sum, one) => sum + one.searches, 0);
  const parts = Object.entries(found.degraded).map(([part, n]) => told.without(n, part));
  return html`
    <p>${told.searches(searches, day(found.since))} ${parts.length ? told.degraded(parts) : told.whole}</p>
    <${Part} name="popular"><${Bars} of=${found.popular.map((one) => [one.query, one.searches])} label=${told.popular} /><//>
    <${Part} name="unanswered"><${Bars} of=${found.unanswered.map((one) => [one.query, one.unanswered])} label=${told.unanswered} /><//>
    <${Part} name="often"><${Bars} of=${found.often.map((one) => [one.content, one.times])} label=${told.often} /><//>
    <${Part} name="never">
      <p>${told.unrecalled(found.unrecalled)}</p>
      <ul class="list">${found.never.map((one) => html`<li key=${one.id}><${Text} of=${one.content} /></li>`)}</ul>
    <//>
    <${Part} name="agents"><${Bars} of=${found.agents.map((one) => [one.agent || told.nameless, one.searches])} label=${told.agents} /><//>`;
}

// Rows of a text, a number and its bar. With a whole, the bar is the share of it; otherwise that of the largest number.
function Bars({ of, label }) {
  if (!of.length) return html`<p class="quiet">${texts.nothing}</p>`;
  const most = Math.max(...of.map(([, number]) => number));
  return html`<table class="parts bars" aria-label=${label}>
    <tbody>
      ${of.map(([text, number, whole]) => html`<tr>
        <th scope="row"><${Text} of=${text} /></th>
        <td class="number">${number.toLocaleString()}${whole === undefined ? "" : ` / ${whole.toLocaleString()}`}</td>
        <td class="bar"><svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
          <rect class="ground" width="100" height="8" />
          <rect width=${share(number, whole ?? most)} height="8" />
        </svg></td>
      </tr>`)}
    </tbody>
  </table>`;
}

const share = (number, whole) => (whole ? Math.round((1000 * number) / whole) / 10 : 0);

function Tidy({ may, tell }) {
  const tidying = useLoaded(api.tidy, []);
  const [chosen, setChosen] = useState({});
  const [open, setOpen] = useState(false);
  const [problem, setProblem] = useState(null);
  return html`<${Part} name="tidy">
    <p class="quiet">${told.tidyAbout}</p>
    <${Loaded} of=${tidying}>${({ suggestions }) => {
      if (!suggestions.length) return html`<p class="quiet">${told.tidyNothing}</p>`;
      const going = suggestions.filter((one) => chosen[one.id] ?? true);
      const apply = () =>
        api.applyTidying(going.map((one) => one.id)).then((done) => {
          setOpen(false);
          tell(told.tidied(done.forgotten.length, done.archived.length));
          tidying.reload();
        }, setProblem);
      return html`
        <ul class="list">
          ${suggestions.map((one) => html`<li key=${one.id}><label class="check">
            <input type="checkbox" checked=${chosen[one.id] ?? true} disabled=${!may.includes("forget")}
              onChange=${(event) => setChosen({ ...chosen, [one.id]: event.target.checked })} />
            <span><span class="tag">${told.rules[one.rule]}</span> <${Text} of=${one.content} />
              <span class="quiet"> ${told.sources[one.source]}${" · "}${day(one.created_at)}${" · "}${told.actions[one.action]}</span></span>
          </label></li>`)}
        </ul>
        ${may.includes("forget") && html`<p class="actions">
          <button type="button" disabled=${!going.length} onClick=${() => setOpen(true)}>${told.tidyUp(going.length)}</button>
        </p>`}
        ${open && html`<${Dialog} heading=${told.tidyHeading} onClose=${() => setOpen(false)}>
          <p>${told.tidyPreview}</p>
          <ul class="preview">
            ${going.map((one) => html`<li><span class="tag">${told.actions[one.action]}</span> <${Text} of=${one.content} /></li>`)}
          </ul>
          ${problem && html`<p class="problem" role="alert">${problem.message}</p>`}
          <p class="actions">
            <button class="danger" type="button" onClick=${apply}>${told.tidyYes}</button>
            <button type="button" onClick=${() => setOpen(false)}>${texts.cancel}</button>
          </p>
        <//>`}`;
    }}<//>
  <//>`;
}

function Administration() {
  const all = useLoaded(() => Promise.all([api.keys(), api.allScopes(), api.audit(), api.status()]), []);
  return html`<${Loaded} of=${all}>${([keys, scopes, audit, status]) => html`
    <${Part} name="keys"><ul class="list">
      ${keys.items.map((one) => html`<li key=${one.id}>
        <bdi>${one.name || one.id}</bdi> <span class="tag">${one.scopes.join(", ")}</span>
        <span class="quiet"> ${one.user_id || told.everyUser}${" · "}${told.used(one.last_used_at && minute(one.last_used_at))}
          ${one.revoked_at && ` · ${told.revoked(day(one.revoked_at))}`}</span>
      </li>`)}
    </ul><//>
    <${Part} name="scopes">
      ${scopes.items.length
        ? html`<ul class="list">${scopes.items.map((one) => html`<li key=${one.name}>
            <bdi>${one.name}</bdi> <span class="quiet">${one.members.map((who) => `${who.user_id} (${who.role})`).join(", ")}</span>
          </li>`)}</ul>`
        : html`<p class="quiet">${texts.nothing}</p>`}
    <//>
    <${Part} name="audit"><ol class="list">
      ${audit.items.map((one) => html`<li key=${one.number}>
        ${minute(one.done_at)} <span class="tag">${one.action}</span> <span class="quiet">${told.by(one.actor, one.amount)}</span>
      </li>`)}
    </ol><//>
    <${Part} name="backups">
      <p class=${status.backup?.overdue ? "problem" : "quiet"}>
        ${status.backup ? told.backup(status.backup.amount, status.backup.folder, status.backup.newest && minute(status.backup.newest)) : told.noBackup}
      </p>
    <//>`}<//>`;
}
