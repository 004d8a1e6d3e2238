// Folders and documents: what is in step, what could not be read, the pieces by which a file is searched; add one.

import { api } from "../api.js";
import { day, minute } from "../dates.js";
import { Forget, Loaded, Text, useLoaded, usePages } from "../parts.js";
import { texts } from "../texts.js";
import { html, useRef, useState } from "../vendor/htm-preact-3.1.1.js";

const PAGE = 50;

export function Files({ id, may, admin, tell }) {
  return id
    ? html`<${OneFile} key=${id} id=${id} may=${may} tell=${tell} />`
    : html`<${Listing} may=${may} admin=${admin} tell=${tell} />`;
}

function Listing({ may, admin, tell }) {
  const pages = usePages((query) => api.files({ limit: PAGE, ...query }), tell);
  const looked = useLoaded(() => (admin ? api.status().then((status) => status.folders) : Promise.resolve(null)), []);
  return html`<section aria-labelledby="heading">
    <h1 id="heading">${texts.views.files}</h1>
    ${may.includes("write") && html`<${Add} tell=${tell} added=${pages.reload} />`}
    <${Loaded} of=${pages.first}>${({ folders }) => html`
      ${folders.length > 0 && html`<${Folders} folders=${looked.value ?? folders} />`}
      <h2>${texts.files.all}</h2>
      ${pages.items.length === 0 && html`<p class="unknown">${texts.files.none}</p>`}
      <ul class="list">
        ${pages.items.map(
          (file) => html`<li key=${file.id}>
            <a href=${`#/files/${file.id}`}><bdi>${file.path}</bdi></a>
            <span class="quiet">
              ${" "}<span class="tag">${file.kind}</span>
              ${" "}${size(file.size)}${" · "}${texts.files.chunks(file.chunks)}${" · "}${day(file.dated_at ?? file.created_at)}
              ${file.notes.map((note) => html`${" · "}<bdi class="problem">${note}</bdi>`)}
            </span>
          </li>`,
        )}
      </ul>
      ${pages.cursor && html`<button type="button" onClick=${pages.more}>${texts.more}</button>`}`}<//>
  </section>`;
}

function Folders({ folders }) {
  return html`<section aria-labelledby="folders">
    <h2 id="folders">${texts.files.folders}</h2>
    ${folders.map(
      (folder) => html`<article class="memory" key=${folder.root}>
        <p><strong><bdi>${folder.root}</bdi></strong></p>
        <p class="quiet">
          <span class="tag">${folder.source}</span>
          ${" "}${texts.files.amount(folder.files)}${" · "}${texts.files.chunks(folder.chunks)}${" · "}
          ${texts.files.looked(minute(folder.scanned_at))}
        </p>
        ${folder.drift !== undefined && html`<p class=${folder.drift === 0 ? "quiet" : "warn"}>${texts.files.drift(folder.drift)}</p>`}
        ${Object.entries(folder.trouble).length > 0 &&
        html`<details>
          <summary>${texts.files.skipped(Object.values(folder.trouble).reduce((sum, n) => sum + n, 0))}</summary>
          <ul>${Object.entries(folder.trouble).map(([reason, n]) => html`<li><bdi>${reason}</bdi>: ${n.toLocaleString()}</li>`)}</ul>
        </details>`}
      </article>`,
    )}
  </section>`;
}

function Add({ tell, added }) {
  const input = useRef(null);
  const [over, setOver] = useState(false);
  const [problems, setProblems] = useState([]);
  const [busy, setBusy] = useState("");
  const send = async (files) => {
    const failed = [];
    for (const file of files) {
      setBusy(file.name);
      try {
        const done = await api.addFile(file);
        tell(done.action === "duplicate" ? texts.files.known(file.name) : texts.files.added(file.name));
      } catch (problem) {
        failed.push(`${file.name}: ${problem.message}`);
      }
    }
    setBusy("");
    setProblems(failed);
    added();
  };
  const drop = (event) => {
    event.preventDefault();
    setOver(false);
    send([...event.dataTransfer.files]);
  };
  const drag = (is) => (event) => {
    event.preventDefault();
    setOver(is);
  };
  return html`<div class=${`drop ${over ? "over" : ""}`} onDragOver=${drag(true)} onDragLeave=${drag(false)} onDrop=${drop}>
    <label>${texts.files.add}
      <input ref=${input} type="file" multiple onChange=${(event) => send([...event.target.files])} />
    </label>
    <p class="quiet">${busy ? texts.files.reading(busy) : texts.files.drop}</p>
    ${problems.map((problem) => html`<p class="problem" role="alert"><bdi>${problem}</bdi></p>`)}
  </div>`;
}

function OneFile({ id, may, tell }) {
  const [forgetting, setForgetting] = useState(false);
  const [whole, setWhole] = useState(false);
  const loaded = useLoaded(async () => {
    const [file, chunks] = await Promise.all([api.file(id), api.chunks(id)]);
    return { file, chunks: chunks.items };
  }, [id]);
  const forgotten = () => {
    location.hash = "#/files";
    tell(texts.memory.forgotten(1));
  };
  return html`<section aria-labelledby="heading">
    <p><a href="#/files">${texts.files.back}</a></p>
    <${Loaded} of=${loaded}>${({ file, chunks }) => html`
      <h1 id="heading"><bdi>${file.path}</bdi></h1>
      <p class="quiet">
        <span class="tag">${file.kind}</span>
        ${" "}<bdi>${file.root || texts.files.document}</bdi>${" · "}${size(file.size)}${" · "}${texts.files.lines(file.lines)}${" · "}
        ${minute(file.dated_at ?? file.created_at)}
      </p>
      ${file.notes.map((note) => html`<p class="problem"><bdi>${note}</bdi></p>`)}
      <p class="actions">
        <button type="button" aria-expanded=${whole} onClick=${() => setWhole(!whole)}>${texts.files.text}</button>
        ${file.original && html`<a class="button" href=${`/api/files/${file.id}/original`} download>${texts.files.original}</a>`}
        ${may.includes("forget") && html`<button type="button" onClick=${() => setForgetting(true)}>${texts.memory.forget}</button>`}
      </p>
      ${forgetting && html`<${Forget} what=${{ id }} file=${file.path} onDone=${forgotten} onClose=${() => setForgetting(false)} />`}
      ${whole && html`<${Whole} id=${id} />`}
      <h2>${texts.files.pieces}</h2>
      ${chunks.length < file.chunks && html`<p class="quiet">${texts.files.first(chunks.length, file.chunks)}</p>`}
      <ol class="list">
        ${chunks.map(
          (chunk) => html`<li key=${chunk.id}>
            <p class="quiet">${texts.files.at(chunk.start_line, chunk.end_line)} <bdi>${chunk.heading}</bdi></p>
            <${Text} of=${chunk.content} />
          </li>`,
        )}
      </ol>`}<//>
  </section>`;
}

function Whole({ id }) {
  const text = useLoaded(() => api.fileText(id), [id]);
  return html`<${Loaded} of=${text}>${(read) => html`
    ${!read.current && html`<p class="warn">${texts.files.changed}</p>`}
    <pre class="whole" tabindex="0">${read.text}</pre>`}<//>`;
}

const size = (bytes) =>
  bytes < 1024 ? `${bytes} B` : bytes < 1024 ** 2 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1024 ** 2).toFixed(1)} MB`;
