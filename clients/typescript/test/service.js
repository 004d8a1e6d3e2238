// The service that the tests ask. The test run starts it and says where it is.

import http from "node:http";
import { once } from "node:events";

import { Client } from "../index.js";

const { RECOLLECT_URL: url, RECOLLECT_KEY: key, RECOLLECT_ADMIN_KEY: adminKey } = process.env;
if (!url || !key || !adminKey) {
  throw new Error("Set RECOLLECT_URL, RECOLLECT_KEY and RECOLLECT_ADMIN_KEY to a running service; `pytest tests/clients/test_typescript.py` does.");
}

export { adminKey, key, url };

let users = 0;

/** A user of the test's own, so that tests share a service and nothing else. */
export function freshUser() {
  users += 1;
  return new Client(url, { key: adminKey, user: `user ${process.pid} ${users}` }).me;
}

/** Runs a server on a free port of this machine until the test ends, and returns its address. */
export async function listen(test, answer) {
  const server = http.createServer(answer);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${server.address().port}`;
}

/** Passes a request on to the service, and returns its answer. */
export async function passOn(request) {
  const body = Buffer.concat(await collected(request));
  const { host, connection, "content-length": _, "transfer-encoding": __, ...headers } = request.headers;
  return fetch(`${url}${request.url}`, { method: request.method, headers, body: body.length ? body : undefined });
}

async function collected(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}
