// A client of the TypeScript SDK from red to green: it runs the tests, fixes what the server
// says has failed, reruns that, and runs everything, also as a task. Run by the tests of
// host/cli:
//
//	node session.mjs CLIENTS JSON
//
// CLIENTS is the directory in which .ci/install-mcp has put the SDK. JSON is
// {command, args, env, dir, repairs}: repairs has for each test the edit {file, from, to}
// that fixes it. Of a failure it knows only what the server says. Each step prints a line
// of JSON.
import { createRequire } from "node:module";
import { resolve, join } from "node:path";
import { readFileSync, writeFileSync } from "node:fs";

const require = createRequire(join(resolve(process.argv[2]), "package.json"));
const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");
const { CallToolResultSchema, CreateTaskResultSchema, LoggingMessageNotificationSchema } = require("@modelcontextprotocol/sdk/types.js");

const { command, args, env, dir, repairs } = JSON.parse(process.argv[3]);
const say = (step, what) => console.log(JSON.stringify({ step, ...what }));

const client = new Client({ name: "session", version: "1" });
const logged = [];
client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => logged.push(params));
await client.connect(new StdioClientTransport({ command, args, env, cwd: dir, stderr: "inherit" }));
await client.setLoggingLevel("info");

const { tools } = await client.listTools();
say("tools", { names: tools.map((t) => t.name) });

async function call(name, given = {}) {
  const beats = [];
  const r = await client.callTool({ name, arguments: given }, undefined, { onprogress: (p) => beats.push(p.message) });
  say(name, { text: r.content.map((c) => c.text ?? "").join("\n"), object: r.structuredContent, isError: r.isError ?? false, beats });
  return r.structuredContent;
}

let run = await call("run_tests");
for (let round = 0; run.status !== "passed" && round < 5; round++) {
  for (const f of run.failures ?? []) {
    const { file, from, to } = repairs[f.test];
    const path = join(dir, file);
    writeFileSync(path, readFileSync(path, "utf8").replace(from, to));
  }
  run = await call("run_failing_tests");
}
run = await call("run_tests");

// As tasks: one to its end, and one that is cancelled.
const states = [];
for await (const m of client.experimental.tasks.callToolStream({ name: "run_tests", arguments: {} })) {
  states.push(m.type === "taskStatus" ? m.task.status : m.type);
  if (m.type === "result") say("task", { states, text: m.result.content.map((c) => c.text ?? "").join("\n"), object: m.result.structuredContent });
  if (m.type === "error") say("task", { states, text: String(m.error) });
}
const { task } = await client.request({ method: "tools/call", params: { name: "run_tests", arguments: { repeat: 100 } } }, CreateTaskResultSchema, { task: { ttl: 60000 } });
const { status } = await client.experimental.tasks.cancelTask(task.taskId);
const stopped = await client.experimental.tasks.getTaskResult(task.taskId, CallToolResultSchema);
const { tasks } = await client.experimental.tasks.listTasks();
say("cancelled task", { states: [task.status, status, ...tasks.map((t) => t.status)], text: stopped.content.map((c) => c.text ?? "").join("\n"), object: stopped.structuredContent });

const { contents } = await client.readResource({ uri: `proctor://runs/${run.run_id}` });
say("resource", { object: JSON.parse(contents[0].text) });
const { completion } = await client.complete({ ref: { type: "ref/prompt", name: "investigate_flaky" }, argument: { name: "test", value: "TestO" } });
say("completion", { values: completion.values });
say("log", { logged });
await client.close();
