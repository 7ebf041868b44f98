// Builds dist/proctor-plugin-node: one executable file that needs only node.
import { build } from 'esbuild';
import { chmodSync, copyFileSync, mkdirSync } from 'node:fs';
import './assets.mjs';

const at = (path) => new URL(`../${path}`, import.meta.url);
const output = at('dist/proctor-plugin-node').pathname;

mkdirSync(at('dist/'), { recursive: true });
await build({
  entryPoints: [at('src/main.mjs').pathname],
  outfile: output,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs', // grpc-js requires modules by name, which only CommonJS can
  // A file without extension is CommonJS or a module, depending on a package.json
  // somewhere above it. This wrapper is valid in both.
  banner: {
    js:
      '#!/usr/bin/env node\n' +
      'import("node:module").then(({ createRequire }) => {\n' +
      'const require = createRequire(process.execPath), module = { exports: {} }, exports = module.exports;\n' +
      'const __dirname = ".", __filename = "proctor-plugin-node";',
  },
  footer: { js: '});' },
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'eof', // keeps the licenses of the bundled packages
});
chmodSync(output, 0o755);
copyFileSync(at('LICENSE'), at('dist/LICENSE'));
