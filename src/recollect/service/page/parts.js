// What several views share: loading, notices, dialogs, and a memory with what can be done to it.

import { api } from "./api.js";
import { day, minute } from "./dates.js";
import { MediaList } from "./media.js";
import { Text } from "./text.js";
import { texts } from "./texts.js";
import { html, useCallback, useEffect, useRef, useState } from "./vendor/htm-preact-3.1.1.js";

export { Text };


// Load something whenever `what` changes; an answer that a newer question has overtaken is dropped.
export function useLoaded(load, what) {
  const [state, setState] = useState({});
  const latest = useRef(0);
  const run = useCallback(() => {
    const mine = ++latest.current;
    setState((before) => ({ ...before, waiting: true, problem: null }));
    load().then(
      (value) => mine === latest.current && setState({ value }),
      (problem) => mine === latest.current && setState((before) => ({ value: before.value, problem })),
    );
  }, what);
  useEffect(run, what);
  return { ...state, reload: run };
}

// A listing that grows page by page.
export function usePages(load, tell) {
  const [shown, setShown] = useState({ items: [], cursor: null });
  const first = useLoaded(async () => {
    const page = await load({});
    setShown(page);
    return page;
  }, []);
  const more = () =>
    load({ cursor: shown.cursor }).then(
      (page) => setShown({ items: [...shown.items, ...page.items], cursor: page.cursor }),
      (problem) => tell(problem.message),
    );
  return { ...shown, first, more, reload: first.reload };
}

export function Loaded({ of, children }) {
  if (of.problem) {
    return html`<p class="problem" role="alert">
      ${texts.failed} ${of.problem.message}
      <button type="button" onClick=${of.reload}>${texts.again}</button>
    </p>`;
  }
  if (of.value === undefined) return html`<p class="quiet" role="status">${texts.loading}</p>`;
  return children(of.value);
}

export function Dialog({ heading, onClose, children }) {
  const element = useRef(null);
  useEffect(() => {
    element.current.showModal();
  }, []);
  return html`<dialog ref=${element} aria-label=${heading} onClose=${onClose}>
    <h2>${heading}</h2>
    ${children}
  </dialog>`;
}

// Something that is loaded when it is opened.
export function Later({ label, children }) {
  const [open, setOpen] = useState(false);
  return html`<details onToggle=${(event) => setOpen(event.target.open)}>
    <summary>${label}</summary>
    ${open && children()}
  </details>`;
}

export function Versions({ id }) {
  const history = useLoaded(() => api.history(id), [id]);
  return html`<${Loaded} of=${history}>${({ items }) => html`<ol class="versions">
    ${items.map(
      (one) => html`<li class=${one.valid_until ? "old" : ""}>
        <${Text} of=${one.content} />
        <${MediaList} of=${one.media} />
        <span class="quiet">
          ${one.valid_until ? texts.memory.old : texts.memory.current},
          ${" "}${texts.memory.version(minute(one.valid_from), one.valid_until && minute(one.valid_until))}
          ${" · "}${origin(one)}
        </span>
        <${Later} label=${texts.memory.origins}>${() => html`<${Origins} id=${one.id} />`}<//>
      </li>`,
    )}
  </ol>`}<//>`;
}

export function Turns({ messages, here, children }) {
  return html`<ol class="turns">
    ${messages.map(
      (turn) => html`<li key=${turn.id} class=${`${turn.role} ${turn.id === here ? "here" : ""}`}>
        <p class="quiet"><bdi>${turn.speaker || turn.role}</bdi>${" · "}${minute(turn.said_at)}</p>
        <p><${Text} of=${turn.content} /></p>
        <${MediaList} of=${turn.media} />
        ${children?.(turn)}
      </li>`,
    )}
  </ol>`;
}

// The messages that a memory was captured from, with the words that say it.
function Revealed({ id }) {
  const revealed = useLoaded(() => api.reveal(id), [id]);
  return html`<${Loaded} of=${revealed}>${({ content, value }) => html`<p><${Text} of=${content} /> ${value && html`<${Text} of=${value} />`}</p>`}<//>`;
}

export function Origins({ id }) {
  const origins = useLoaded(() => api.origins(id), [id]);
  return html`<${Loaded} of=${origins}>${({ items }) =>
    items.length
      ? html`<ul class="list">
          ${items.map(
            ({ message, text, span }) => html`<li key=${message.id}>
              <p class="quiet"><${TalkLink} name=${message.conversation} />${" · "}${minute(message.said_at)}</p>
              <bdi class="text">${span ? html`${text.slice(0, span.start)}<mark>${text.slice(span.start, span.end)}</mark>${text.slice(span.end)}` : text}</bdi>
            </li>`,
          )}
        </ul>`
      : html`<p class="quiet">${texts.memory.noOrigin}</p>`}<//>`;
}

export function TalkLink({ name }) {
  return html`<a href=${`#/conversations/${encodeURIComponent(name)}`}><bdi>${name}</bdi></a>`;
}

function Similar({ id }) {
  const similar = useLoaded(() => api.similar(id), [id]);
  return html`<${Loaded} of=${similar}>${({ hits }) =>
    hits.length
      ? html`<ul class="list">${hits.map((hit) => html`<li key=${hit.id}><${Text} of=${hit.content} /></li>`)}</ul>`
      : html`<p class="quiet">${texts.memory.nothingSimilar}</p>`}<//>`;
}

export function origin(memory) {
  const said = texts.memory.saidBy[memory.source] ?? memory.source;
  return [said, memory.confidence < 1 ? texts.memory.confidence(memory.confidence) : ""].filter(Boolean).join(", ");
}

function Correct({ memory, onDone, onClose }) {
  const [content, setContent] = useState(memory.content);
  const [value, setValue] = useState(memory.value);
  const [problem, setProblem] = useState(null);
  const keyed = memory.key && memory.value;
  const revalue = (event) => {
    setValue(event.target.value);
    setContent(memory.content.replaceAll(memory.value, () => event.target.value));
  };
  const save = (event) => {
    event.preventDefault();
    api.change(memory.id, keyed ? { content, value } : { content }).then(onDone, setProblem);
  };
  return html`<${Dialog} heading=${texts.memory.correct} onClose=${onClose}>
    <form onSubmit=${save}>
      ${keyed && html`<label><bdi>${memory.key}</bdi><input dir="auto" required value=${value} onInput=${revalue} /></label>`}
      <label>${texts.memory.correctLabel}
        <textarea rows="4" dir="auto" value=${content} onInput=${(event) => setContent(event.target.value)} required />
      </label>
      <p class="quiet">${texts.memory.follows}</p>
      <ul class="quiet">
        ${keyed && html`<li>${texts.memory.followsValue}</li>`}
        ${texts.memory.followsList.map((line) => html`<li>${line}</li>`)}
      </ul>
      ${problem && html`<p class="problem" role="alert">${problem.message}</p>`}
      <p class="actions">
        <button class="main">${texts.save}</button>
        <button type="button" onClick=${onClose}>${texts.cancel}</button>
      </p>
    </form>
  <//>`;
}

// What a dry run says would go, in words.
async function whatWouldGo(what) {
  const told = await api.forget({ ...what, dry_run: true });
  return { ...told, texts: told.items.map((item) => [item.kind, item.text || item.path]) };
}

export function Forget({ what, file, onDone, onClose }) {
  const [sources, setSources] = useState(false);
  const wanted = what.id && !file ? { ...what, sources } : what;
  const preview = useLoaded(() => whatWouldGo(wanted), [JSON.stringify(wanted)]);
  const [problem, setProblem] = useState(null);
  const forget = () => api.forget(wanted).then(onDone, setProblem);
  return html`<${Dialog} heading=${texts.memory.forgetHeading} onClose=${onClose}>
    <${Loaded} of=${preview}>${(told) => html`
      <p>${told.ids.length + told.messages + told.files ? texts.memory.forgetPreview : texts.memory.forgetNothing}</p>
      <ul class="preview">
        ${told.texts.map(([kind, text]) => html`<li><span class="tag">${kind}</span> <${Text} of=${text} /></li>`)}
        ${told.ids.length > told.texts.length && html`<li>${texts.memory.things(told.ids.length - told.texts.length)}</li>`}
        ${told.messages > 0 && html`<li>${texts.memory.amongThem(told.messages)}</li>`}
      </ul>
      ${what.id && !file && html`<label class="check">
        <input type="checkbox" checked=${sources} onChange=${(event) => setSources(event.target.checked)} />
        ${texts.memory.forgetSources}
      </label>`}
      ${problem && html`<p class="problem" role="alert">${problem.message}</p>`}
      <p class="actions">
        <button class="danger" type="button" onClick=${forget}>${texts.memory.forgetYes}</button>
        <button type="button" onClick=${onClose}>${texts.cancel}</button>
      </p>`}<//>
  <//>`;
}

// A memory, and what can be done to it. `changed` is called when something was.
export function Memory({ memory, words, may, changed, tell, children }) {
  const [open, setOpen] = useState("");
  const shut = () => setOpen("");
  const toggle = (part) => html`<button type="button" aria-expanded=${open === part} onClick=${() => setOpen(open === part ? "" : part)}>
    ${texts.memory[part]}
  </button>`;
  const corrected = () => {
    shut();
    tell(texts.memory.corrected);
    changed();
  };
  const forgotten = (done) => {
    shut();
    tell(texts.memory.forgotten(done.ids.length));
    changed();
  };
  return html`<article class="memory">
    <p><${Text} of=${memory.content} words=${words} /></p>
    <${MediaList} of=${memory.media} words=${words} />
    <p class="quiet">
      <span class="tag">${memory.type}</span>
      ${" "}${day(memory.occurred_at ?? memory.created_at)}${" · "}${origin(memory)}
      ${memory.session && html`${" · "}<${TalkLink} name=${memory.session} />`}
    </p>
    ${children}
    <p class="actions">
      ${memory.kept_secret && toggle("reveal")} ${toggle("history")} ${toggle("origins")} ${toggle("similar")}
      ${may.includes("write") && html`<button type="button" onClick=${() => setOpen("correct")}>${texts.memory.correct}</button>`}
      ${may.includes("forget") && html`<button type="button" onClick=${() => setOpen("forget")}>${texts.memory.forget}</button>`}
    </p>
    ${open === "reveal" && html`<${Revealed} id=${memory.id} />`}
    ${open === "history" && html`<${Versions} id=${memory.id} />`}
    ${open === "origins" && html`<${Origins} id=${memory.id} />`}
    ${open === "similar" && html`<${Similar} id=${memory.id} />`}
    ${open === "correct" && html`<${Correct} memory=${memory} onDone=${corrected} onClose=${shut} />`}
    ${open === "forget" && html`<${Forget} what=${{ id: memory.id }} onDone=${forgotten} onClose=${shut} />`}
  </article>`;
}
