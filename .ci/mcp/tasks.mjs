// A client of the extension io.modelcontextprotocol/tasks, by the package that its authors
// publish: it runs the tests, which the server makes a task, and cancels another one. Run by
// the tests of host/cli:
//
//	node tasks.mjs CLIENTS JSON
//
// CLIENTS is the directory in which .ci/install-mcp has put the package. JSON is
// {command, args, env, dir}, or {url} over HTTP. Each step prints a line of JSON.
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const load = (name, file) => import(pathToFileURL(join(resolve(process.argv[2]), "node_modules/@modelcontextprotocol", name, "dist", file)));
const { Client, StreamableHTTPClientTransport } = await load("client", "index.mjs");
const { StdioClientTransport } = await load("client", "stdio.mjs");
const { createTaskSessionFromClient } = await load("ext-tasks", "client/index.js");

const { command, args, env, dir, url } = JSON.parse(process.argv[3]);
const say = (step, what) => console.log(JSON.stringify({ step, ...what }));

const protocolVersion = "2026-07-28";
const clientInfo = { name: "tasks", version: "1" };
const client = new Client(clientInfo, { versionNegotiation: { mode: { pin: protocolVersion } } });
const transport = url ? new StreamableHTTPClientTransport(new URL(url)) : new StdioClientTransport({ command, args, env, cwd: dir, stderr: "inherit" });
await client.connect(transport);

// The SDK takes no task for an answer: the package sends its requests beside it.
const waiting = new Map();
const { onmessage } = transport;
transport.onmessage = (m, ...more) => {
  const answer = m.method === undefined && waiting.get(m.id);
  if (!answer) return onmessage?.(m, ...more);
  waiting.delete(m.id);
  answer(m.error ? { kind: "error", error: m.error } : { kind: "result", result: m.result });
};
const rawDispatch = async (request) => {
  const id = `raw-${crypto.randomUUID()}`;
  const answered = new Promise((answer) => waiting.set(id, answer));
  await transport.send({ jsonrpc: "2.0", id, ...request });
  return answered;
};
const session = createTaskSessionFromClient(client, {
  endpointId: "proctor", rawDispatch,
  v2RequestFraming: { protocolVersion, clientInfo, clientCapabilities: {} },
});

async function run(name, given, during) {
  const execution = await session.callTool(name, given);
  const states = [];
  if (during) await during(execution);
  const { outcome, lastTask } = await execution.settle({ onEvent: (e) => e.type === "task" && states.push(e.task.status) });
  const text = outcome.result?.content.map((c) => c.text ?? "").join("\n");
  say(name, { kind: execution.kind, states, status: outcome.status, message: lastTask?.statusMessage, text, object: outcome.result?.structuredContent });
  return { execution, lastTask };
}

const { lastTask: red } = await run("run_tests", {});
// Whoever knows the id finds the result as long as the server keeps it.
const found = await session.task(red.taskId).result();
say("found", { status: found.status, object: found.result.structuredContent });
await run("run_tests", { wait: 0 }); // which says how long it waits
await run("get_run", { wait: 60 });
const { execution } = await run("run_tests", { repeat: 100 }, (e) => e.cancel());
const cancelled = await session.task(execution.handle.taskId).snapshot();
say("cancelled", { status: cancelled.status, message: cancelled.statusMessage });
await session.task("none").snapshot().catch((err) => say("none", { message: String(err) }));
await session.close();
await client.close();
