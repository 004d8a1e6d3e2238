// The page: logs in, shows whose memory it is, and one view at a time.

import { actFor, api, hasToken } from "./api.js";
import { texts } from "./texts.js";
import { html, render, useCallback, useEffect, useState } from "./vendor/htm-preact-3.1.1.js";
import { Clusters } from "./views/clusters.js";
import { Conversations } from "./views/conversations.js";
import { Files } from "./views/files.js";
import { Insights } from "./views/insights.js";
import { PlacesMap } from "./views/map.js";
import { Memories } from "./views/memories.js";
import { People } from "./views/people.js";
import { Recall } from "./views/recall.js";
import { Store } from "./views/store.js";
import { Timeline } from "./views/timeline.js";

const VIEWS = {
  recall: Recall,
  memories: Memories,
  timeline: Timeline,
  people: People,
  clusters: Clusters,
  conversations: Conversations,
  map: PlacesMap,
  files: Files,
  insights: Insights,
  store: Store,
};
const ALL = ["read", "write", "forget"];
const LINK = "#login=";

function App() {
  const [session, setSession] = useState(undefined);
  const [problem, setProblem] = useState("");
  const enter = useCallback((opened) => {
    hasToken(opened.csrf);
    setSession(opened);
  }, []);
  useEffect(() => {
    const secret = location.hash.startsWith(LINK) ? location.hash.slice(LINK.length) : "";
    if (secret) history.replaceState(null, "", "/"); // a link that was used belongs neither in the history nor on screen
    const opening = secret ? api.logIn(secret) : api.session();
    opening.then(enter, (told) => {
      setProblem(secret || told.status !== 401 ? told.message : "");
      setSession(null);
    });
  }, []);
  if (session === undefined) return html`<main><p role="status">${texts.login.wait}</p></main>`;
  if (session === null) return html`<${LogIn} problem=${problem} enter=${enter} />`;
  return html`<${Memory} session=${session} />`;
}

function LogIn({ problem, enter }) {
  const [key, setKey] = useState("");
  const [told, setTold] = useState(problem);
  const submit = (event) => {
    event.preventDefault();
    api.logIn(key.trim()).then(enter, (refused) => setTold(refused.message));
  };
  return html`<main class="login">
    <h1>${texts.title}</h1>
    <h2>${texts.login.heading}</h2>
    <p>${texts.login.about}</p>
    <form onSubmit=${submit}>
      <label>${texts.login.key}
        <input type="password" autocomplete="off" required value=${key} onInput=${(event) => setKey(event.target.value)} />
      </label>
      <button class="main">${texts.login.submit}</button>
    </form>
    ${told && html`<p class="problem" role="alert">${told}</p>`}
  </main>`;
}

function Memory({ session }) {
  const admin = session.scopes.includes("admin");
  const [user, setUser] = useState(session.user || session.default_user);
  const [notice, setNotice] = useState("");
  const [place, setPlace] = useState(placeOf(location.hash));
  actFor(admin ? user : "");
  useEffect(() => {
    const moved = () => {
      setPlace(placeOf(location.hash));
      setNotice("");
      document.getElementById("content").focus();
    };
    addEventListener("hashchange", moved);
    return () => removeEventListener("hashchange", moved);
  }, []);
  const View = VIEWS[place.view];
  const may = admin ? ALL : session.scopes;
  const leave = () => api.logOut().finally(() => location.reload());
  return html`
    <a class="skip" href="#content" onClick=${skip}>${texts.skip}</a>
    <header>
      <strong>${texts.title}</strong>
      <nav aria-label=${texts.title}>
        ${Object.keys(VIEWS).map(
          (name) => html`<a href=${`#/${name}`} aria-current=${name === place.view ? "page" : undefined}>${texts.views[name]}</a>`,
        )}
      </nav>
      ${admin && html`<${WhoseMemory} user=${user} choose=${setUser} />`}
      <button type="button" onClick=${leave}>${texts.login.out}</button>
    </header>
    ${admin && user !== session.default_user && html`<p class="acting">${texts.user.acting(user)}</p>`}
    <main id="content" tabindex="-1">
      <p class="notice" role="status" aria-live="polite">${notice}</p>
      <${View} key=${`${user} ${place.view}`} id=${place.id} may=${may} admin=${admin} tell=${setNotice} />
    </main>`;
}

function WhoseMemory({ user, choose }) {
  const [typed, setTyped] = useState(user);
  const submit = (event) => {
    event.preventDefault();
    if (typed.trim()) choose(typed.trim());
  };
  return html`<form class="whose" onSubmit=${submit}>
    <label>${texts.user.label} <input value=${typed} dir="auto" onInput=${(event) => setTyped(event.target.value)} /></label>
    <button>${texts.user.choose}</button>
  </form>`;
}

function skip(event) {
  event.preventDefault();
  document.getElementById("content").focus();
}

function placeOf(hash) {
  const [view, ...rest] = hash.replace(/^#\/?/, "").split("/");
  return Object.hasOwn(VIEWS, view) ? { view, id: decodeURIComponent(rest.join("/")) } : { view: "recall", id: "" };
}

render(html`<${App} />`, document.getElementById("page"));
