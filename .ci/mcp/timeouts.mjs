// A client of the TypeScript SDK, which many agents use, and the ways in which it gives
// up on a call of run_tests. Run by the tests of host/cli:
//
//	node timeouts.mjs CLIENTS JSON
//
// CLIENTS is the directory in which .ci/install-mcp has put the SDK. JSON is
// {command, args, env, cases}. A case is {name, dir, gates, timeout}: the workspace
// dir has tests that wait for the files $GATES/1, $GATES/2 and so on, and end when
// these exist. So no call times out by chance: the tests wait for this
// client, not the client for them. All cases run at once, each with its own server,
// and print a line of JSON each.
import { createRequire } from "node:module";
import { resolve, join } from "node:path";
import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const require = createRequire(join(resolve(process.argv[2]), "package.json"));
const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");

const { command, args, env, cases } = JSON.parse(process.argv[3]);

// The options that the client of each case passes with the call. beats collects the
// progress that it receives.
const ways = {
  "timeout": () => ({}),
  "progress": (beats) => ({ onprogress: (p) => beats.push(p) }),
  "reset": () => ({ resetTimeoutOnProgress: true }),
  "progress and reset": (beats) => ({ onprogress: (p) => beats.push(p), resetTimeoutOnProgress: true }),
  "total": (beats) => ({ onprogress: (p) => beats.push(p), resetTimeoutOnProgress: true, maxTotalTimeout: 2000 }),
  "abort": (beats) => {
    const abort = new AbortController();
    return { signal: abort.signal, onprogress: (p) => beats.push(p) && abort.abort("the user lost patience") };
  },
};

async function play({ name, dir, gates, timeout }) {
  const client = new Client({ name: "timeouts", version: "1" });
  await client.connect(new StdioClientTransport({ command, args: [...args, "--workspace", dir], env: { ...env, GATES: gates }, cwd: dir, stderr: "inherit" }));
  const open = () => [1, 2, 3, 4, 5, 6].forEach((n) => writeFileSync(join(gates, String(n)), ""));
  const call = (tool, given, options) => client.callTool({ name: tool, arguments: given }, undefined, options);
  const beats = [];
  const said = { name };
  const start = performance.now();
  // This one lasts longer than the timeout, which its progress resets.
  const late = name === "progress and reset" && sleep(1.2 * timeout).then(open);
  try {
    said.result = (await call("run_tests", {}, { timeout, ...ways[name](beats) })).structuredContent;
  } catch (err) {
    said.error = String(err.message ?? err);
    said.code = err.code;
  }
  said.ms = Math.round(performance.now() - start);
  said.beats = beats.map((b) => b.progress);
  await late;
  open();
  // However the call ended, the run completes, and get_run returns it.
  said.run = (await call("get_run", { wait: 120 }, { timeout: 150000 })).structuredContent;
  await client.close();
  console.log(JSON.stringify(said));
}

await Promise.all(cases.map(play));
